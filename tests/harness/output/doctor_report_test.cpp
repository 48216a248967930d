#include "harness/output/doctor_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace assay {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A machine on which nothing is left to change.
DoctorReport good_machine() {
  DoctorReport report;
  report.environment.hypervisor = "none";
  report.environment.governor = "performance";
  report.environment.smt = "off";
  report.assembler = true;
  report.tsc = TscProperties{.invariant = true, .step = 2, .read_ticks = 30};
  report.tsc_per_second = 3e9;
  report.clocks = {{"perf", {true, "", ""}, ReadMethod::kRdpmc},
                   {"papi", {false, "no library", "install it"}, std::nullopt},
                   {"tsc", {true, "", ""}, ReadMethod::kTsc}};
  report.run = RunReport{};
  report.page_zero = true;
  return report;
}

TEST(Doctor, HasNoAdviceForAGoodMachine) { EXPECT_THAT(advice(good_machine()), IsEmpty()); }

TEST(Doctor, AdvisesOnWhatCanBeChanged) {
  const auto advice_after = [](const auto& change) {
    DoctorReport report = good_machine();
    change(report);
    return advice(report);
  };
  EXPECT_THAT(advice_after([](DoctorReport& r) { r.tsc->invariant = false; }),
              Contains(HasSubstr("not invariant")));
  EXPECT_THAT(advice_after([](DoctorReport& r) { r.environment.governor = "powersave"; }),
              Contains(HasSubstr("cpupower")));
  EXPECT_THAT(advice_after([](DoctorReport& r) { r.environment.smt = "on"; }),
              Contains(HasSubstr("smt/control")));
  EXPECT_THAT(advice_after([](DoctorReport& r) { r.model_contradiction = "it is no zen4"; }),
              Contains(HasSubstr("it is no zen4")));
  EXPECT_THAT(advice_after([](DoctorReport& r) { r.environment.hypervisor = "KVMKVMKVM"; }),
              Contains(HasSubstr("VM")));
  EXPECT_THAT(advice_after([](DoctorReport& r) {
                r.clocks[0] = {"perf", {false, "not allowed", "set it to 1"}, std::nullopt};
              }),
              ElementsAre("For the clock perf: set it to 1.", "For the clock papi: install it."));
  EXPECT_THAT(advice_after([](DoctorReport& r) { r.clocks[0].method = ReadMethod::kAround; }),
              ElementsAre(HasSubstr("/sys/bus/event_source/devices/cpu/rdpmc")));
  EXPECT_THAT(advice_after([](DoctorReport& r) { r.page_zero = false; }),
              Contains(HasSubstr("mmap_min_addr")));
  EXPECT_THAT(advice_after([](DoctorReport& r) { r.assembler = false; }),
              Contains(HasSubstr("llvm-19-dev")));
}

TEST(Doctor, TellsOfEachClockAndWhichIsTaken) {
  const DoctorReport report = good_machine();
  const auto json = to_json(report);
  EXPECT_EQ(json["clocks"]["perf"].dump(),
            R"({"works":true,"why":"","remedy":"","read_by":"rdpmc"})");
  EXPECT_EQ(json["clocks"]["papi"].dump(),
            R"({"works":false,"why":"no library","remedy":"install it","read_by":null})");
  EXPECT_EQ(json["clocks"]["tsc"]["read_by"], "rdtsc");
  EXPECT_EQ(json["clocks"]["tsc"]["step_ticks"], 2);
  EXPECT_EQ(json["auto_clock"], "perf");
  EXPECT_THAT(to_text(report), AllOf(HasSubstr("clock perf            works, read by RDPMC"),
                                     HasSubstr("clock papi            does not work: no library\n"),
                                     HasSubstr("works, read by RDTSC: 3000.0 MHz, step 2 ticks"),
                                     HasSubstr("--clock auto          takes perf")));
}

TEST(Doctor, TellsHowCountersOutsideTheKernelsAreRead) {
  DoctorReport report = good_machine();
  report.clocks[0].method = ReadMethod::kAround;
  report.clocks[1] = {"papi", {true, "", ""}, ReadMethod::kAround};
  const auto json = to_json(report);
  EXPECT_EQ(json["clocks"]["perf"]["read_by"], "around");
  EXPECT_EQ(json["clocks"]["papi"]["read_by"], "around");
  EXPECT_THAT(to_text(report), AllOf(HasSubstr("works, read around whole series"),
                                     HasSubstr("works, read around whole series")));
}

TEST(Doctor, TellsWhereNoClockWorks) {
  DoctorReport report = good_machine();
  for (ClockReport& clock : report.clocks) clock.availability = {false, "broken", ""};
  EXPECT_TRUE(to_json(report)["auto_clock"].is_null());
  EXPECT_THAT(to_text(report), HasSubstr("--clock auto          finds none"));
}

TEST(Doctor, TellsHowManyValidationEventsAreKnownAndTested) {
  DoctorReport report = good_machine();
  report.machine.microarchitecture = "zen4";
  EXPECT_THAT(to_text(report), HasSubstr("no events known for zen4\n"));
  report.validation_events = 12;
  report.tested_validation_events = 3;
  report.counted_validation_events = 10;
  report.distrusted_events = {"r01c0"};
  EXPECT_EQ(to_json(report)["validation"].dump(),
            R"({"events":12,"tested":3,"used":10,"distrusted":["r01c0"]})");
  EXPECT_THAT(
      to_text(report),
      HasSubstr("12 events known for zen4, 3 of them tested, 10 used here; distrusted: r01c0\n"));
}

TEST(Doctor, TellsWhichProcessorsDisturbEachOther) {
  DoctorReport report = good_machine();
  report.cores_problem = "no threads";
  EXPECT_THAT(to_text(report), HasSubstr("disturb each other    not known: no threads\n"));
  EXPECT_TRUE(to_json(report)["cores"].is_null());
  report.cores = CoreGroups{{{0}, {1}}, {{}, {}}, {}};
  EXPECT_THAT(to_text(report), HasSubstr("disturb each other    none of 0, 1 (slowed by "));
  EXPECT_EQ(to_json(report)["cores"]["groups"].size(), 2U);
}

TEST(Doctor, AMachineWithoutAClockOrRunsIsUnusable) {
  DoctorReport report = good_machine();
  EXPECT_TRUE(report.usable());
  report.run.reset();
  report.run_problem = "because";
  EXPECT_FALSE(report.usable());
  EXPECT_THAT(to_text(report), HasSubstr("because"));
  EXPECT_EQ(to_json(report)["run"]["why"], "because");
}

TEST(Spread, IsLeastMedianMost) {
  const Spread spread = spread_of({5, 1, 4, 2, 3});
  EXPECT_EQ(spread.least, 1);
  EXPECT_EQ(spread.median, 3);
  EXPECT_EQ(spread.most, 5);
}

}  // namespace
}  // namespace assay

#include "harness/doctor_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

/// A machine on which nothing is left to change.
DoctorReport good_machine() {
  DoctorReport report;
  report.environment.hypervisor = "none";
  report.environment.governor = "performance";
  report.environment.smt = "off";
  report.assembler = true;
  report.tsc = TscProperties{true, 2, 20, 3e9, 30};
  report.perf.works = true;
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
  EXPECT_THAT(advice_after([](DoctorReport& r) { r.environment.hypervisor = "KVMKVMKVM"; }),
              Contains(HasSubstr("VM")));
  EXPECT_THAT(advice_after([](DoctorReport& r) { r.perf = explain_perf_error(13); }),
              Contains(HasSubstr("perf_event_paranoid")));
  EXPECT_THAT(advice_after([](DoctorReport& r) { r.page_zero = false; }),
              Contains(HasSubstr("mmap_min_addr")));
  EXPECT_THAT(advice_after([](DoctorReport& r) { r.assembler = false; }),
              Contains(HasSubstr("llvm-19-dev")));
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

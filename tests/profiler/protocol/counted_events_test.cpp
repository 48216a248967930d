#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "profiler/codegen/emitter.h"
#include "profiler/machine/features.h"
#include "tests/profiler/protocol/counted_profiler.h"

namespace assay {
namespace {

using RunCode = SimulatedRun::Code;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> names_of(const Measurement& measurement) {
  std::vector<std::string> names;
  for (const EventCount& count : measurement.events) names.push_back(count.name);
  return names;
}

class CountedEvents : public CountedProfiler {};

TEST_P(CountedEvents, AreCountedInAsManyPassesAsItTakes) {
  core_.events_in_group = 2;
  for (const int in_copy : {3, 1, 4, 0, 5}) {
    add_event("event" + std::to_string(in_copy),
              [=](const SimulatedRun& run) { return 10 * in_copy + in_copy * run.copies; });
  }
  for (const Notion notion : {Notion::kUnrolled, Notion::kLooped}) {
    const Measurement measurement = measure(notion);
    ASSERT_EQ(measurement.outcome.reason, Reason::kNone) << measurement.outcome.detail;
    EXPECT_THAT(names_of(measurement),
                ElementsAre("event3", "event1", "event4", "event0", "event5"));
    std::int64_t place = 0;
    for (const EventCount& count : measurement.events) {
      const double in_copy = count.name.back() - '0';
      EXPECT_THAT(count.per_copy, DoubleEq(in_copy)) << count.name;
      EXPECT_LT(count.half_width, 0.01) << count.name;
      EXPECT_THAT(count.pass_cycles, DoubleEq(kCycles)) << count.name;
      EXPECT_EQ(count.pass, 1 + place++ / 2) << count.name;
      EXPECT_FALSE(count.validates);
      // The overhead holds what a run counts without its copies.
      const double around = GetParam() == ReadMethod::kAround ? 31 : 0;
      EXPECT_EQ(count.overhead, 10 * in_copy + around) << count.name;
    }
    EXPECT_DOUBLE_EQ(measurement.estimate->cycles, kCycles);
  }
}

TEST_P(CountedEvents, HaveTheNamesThatTheyAreGiven) {
  settings_.events = {{"mine", "instructions"}, {"theirs", "branches"}, {"again", "instructions"}};
  const Measurement measurement = measure();
  ASSERT_THAT(names_of(measurement), ElementsAre("mine", "theirs", "again"));
  EXPECT_THAT(measurement.events[0].per_copy, DoubleEq(1));
  EXPECT_THAT(measurement.events[1].per_copy, DoubleEq(0));
  EXPECT_THAT(measurement.events[2].per_copy, DoubleEq(1));
}

TEST_P(CountedEvents, OfRunsThatWereInterruptedAreLeftOut) {
  add_event("misses", [](const SimulatedRun& run) {
    const bool interrupted = GetParam() == ReadMethod::kRdpmc && run.number % 29 == 0;
    return run.copies + (interrupted ? 1000 : 0);
  });
  const Measurement measurement = measure();
  ASSERT_EQ(measurement.events.size(), 1U) << measurement.outcome.detail;
  EXPECT_THAT(measurement.events[0].per_copy, DoubleEq(1));
}

TEST_P(CountedEvents, ThatHappenNowAndThenAreAShareOfACopy) {
  std::mt19937 random(7);
  add_event("misses", [&](const SimulatedRun& run) {
    return run.copies / 4 + std::uniform_real_distribution<double>(0, 5)(random);
  });
  const Measurement measurement = measure();
  ASSERT_EQ(measurement.events.size(), 1U) << measurement.outcome.detail;
  const EventCount& count = measurement.events[0];
  EXPECT_NEAR(count.per_copy, 0.25, 3 * count.half_width);
  EXPECT_LT(count.half_width, 0.005);
}

TEST_P(CountedEvents, ThatOnlyWarmUpsHaveAreNotCounted) {
  add_event("misses", [](const SimulatedRun& run) { return run.warm < 2 ? run.copies : 0; });
  const Measurement measurement = measure();
  ASSERT_EQ(measurement.events.size(), 1U) << measurement.outcome.detail;
  EXPECT_EQ(measurement.events[0].per_copy, 0);
}

TEST_P(CountedEvents, ABlockThatFaultsHasNone) {
  settings_.events = {{"mine", "instructions"}};
  core_.block = bytes_from_hex("31c9f7f1");  // xor ecx, ecx; div ecx
  const Measurement measurement = measure();
  EXPECT_EQ(measurement.outcome.reason, Reason::kArithmeticFault);
  EXPECT_THAT(measurement.events, IsEmpty());
  core_.block = bytes_from_hex("488b03");
  EXPECT_EQ(measure().events.size(), 1U);
}

TEST_P(CountedEvents, ThatDoNotExistAreAnError) {
  settings_.events = {{"mine", "no such event"}};
  EXPECT_THROW(profiler(), InputError);
}

TEST_P(CountedEvents, OfOneNameAreAnError) {
  settings_.events = {{"mine", "instructions"}, {"mine", "branches"}};
  EXPECT_THROW(profiler(), InputError);
}

TEST_P(CountedEvents, AreNotCountedOfABlockThatIsOnlyEstimated) {
  settings_.events = {{"mine", "instructions"}};
  std::vector<Attempt> attempts;
  const Measurement measurement = profiler().measure(
      {core_.block}, Notion::kUnrolled, {.last = Stage::kEstimate, .attempts = &attempts});
  EXPECT_TRUE(attempts.back().evaluation);
  EXPECT_THAT(measurement.events, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Counters, CountedEvents,
                         testing::Values(ReadMethod::kRdpmc, ReadMethod::kAround), name_of_method);

class RdpmcEvents : public CountedProfiler {
 protected:
  /// Makes all series with more than one counter get lost from now on.
  void lose_passes() {
    core_.on_run = [this](const SimulatedRun& run) {
      if (run.copies == 0) core_.touch();
    };
  }
};

/// A block that uses all registers that could keep readings, except R14 and R15.
Bytes block_that_leaves_two_registers() {
  using enum GeneralRegister;
  Emitter code(0);
  for (int i = 0; i < kGeneralRegisters; ++i) {
    const auto reg = static_cast<GeneralRegister>(i);
    if (reg != kRsp && reg != kR14 && reg != kR15) code.subtract_low_half(reg, reg);
  }
  for (int i = 0; i < 16; ++i) code.zero_vector(i);
  for (int i = 16; features().avx512 && i < kVectorRegisters; ++i) code.zero_high_vector(i);
  return code.code();
}

TEST_P(RdpmcEvents, ThatNoRegisterIsLeftForAreLeftOut) {
  core_.block = block_that_leaves_two_registers();
  core_.cycles = [steady = core_.cycles](const SimulatedRun& run) {
    return run.code == RunCode::kBlock ? 57 + 60 * run.copies : steady(run);
  };
  core_.events_in_group = 2;
  settings_.events = {{"a", "branches"}, {"b", "branches"}, {"c", "instructions"}};
  const Measurement measurement = measure();
  EXPECT_EQ(measurement.outcome.reason, Reason::kNone) << measurement.outcome.detail;
  EXPECT_THAT(attempts_.back().events_left_out,
              HasSubstr("pass 1: it leaves 2 registers for 3 readings"));
  ASSERT_THAT(names_of(measurement), ElementsAre("c"));
  EXPECT_EQ(measurement.events[0].pass, 2);
  EXPECT_EQ(measurement.events[0].per_copy, measurement.instructions);
}

TEST_P(RdpmcEvents, ThatCannotBeCountedForInterferenceRejectABlockThatWouldBeMeasured) {
  settings_.events = {{"mine", "instructions"}};
  profiler();
  lose_passes();
  const Measurement measurement = measure();
  EXPECT_EQ(measurement.outcome.reason, Reason::kInterference);
  EXPECT_THAT(measurement.outcome.detail,
              HasSubstr("in pass 1 of its events: the core was lost too often"));
}

TEST_P(RdpmcEvents, ThatCannotBeCountedForInterferenceChangeNoOtherReason) {
  settings_.events = {{"mine", "instructions"}};
  core_.cycles = [steady = core_.cycles](const SimulatedRun& run) {
    return steady(run) + (run.code == RunCode::kBlock ? run.copies * run.copies / 1000 : 0);
  };
  profiler();
  lose_passes();
  EXPECT_EQ(measure_undisturbed().outcome.reason, Reason::kNoSteadyState);
}

INSTANTIATE_TEST_SUITE_P(Counters, RdpmcEvents, testing::Values(ReadMethod::kRdpmc),
                         name_of_method);

constexpr std::array kSeven = {
    Reason::kInstructionCount, Reason::kDataCacheMiss,      Reason::kInstructionCacheMiss,
    Reason::kDataTlbMiss,      Reason::kInstructionTlbMiss, Reason::kSplitAccess,
    Reason::kBranchMiss};

/// A profiler with a validation event for each of the reasons, none of which happens at first.
class CountedValidation : public CountedProfiler {
 protected:
  CountedValidation() {
    for (const Reason reason : kSeven) {
      events_.push_back({reason, name(reason), "made up", true});
      core_.events[std::string(name(reason))] = [](const SimulatedRun&) { return 0; };
    }
    core_.events[std::string(name(Reason::kInstructionCount))] = core_.events["instructions"];
  }
  Measurement validated(Notion notion = Notion::kUnrolled) {
    profiler(events_);
    return measure(notion);
  }
  /// Makes the event of this reason happen so often more in each run from now on, after the
  /// profiler has tested its events.
  void add(Reason reason, SimulatedCore::Count more) {
    profiler(events_);
    SimulatedCore::Count& count = core_.events[std::string(name(reason))];
    count = [before = count, more](const SimulatedRun& run) { return before(run) + more(run); };
  }
  static double once_in_many_copies(const SimulatedRun& run) { return run.copies > 1000 ? 1 : 0; }

  std::vector<ValidationEvent> events_;
};

TEST_P(CountedValidation, AcceptsABlockThatCausesNone) {
  for (const Notion notion : {Notion::kUnrolled, Notion::kLooped}) {
    const Measurement measurement = validated(notion);
    EXPECT_EQ(measurement.outcome.reason, Reason::kNone) << measurement.outcome.detail;
    ASSERT_EQ(measurement.events.size(), kSeven.size());
    for (const EventCount& count : measurement.events) EXPECT_TRUE(count.validates);
  }
}

TEST_P(CountedValidation, RejectsABlockForEachOfTheReasons) {
  for (const Reason reason : kSeven) {
    const auto before = core_.events;
    add(reason, once_in_many_copies);
    const Measurement measurement = validated();
    EXPECT_EQ(measurement.outcome.reason, reason);
    EXPECT_EQ(measurement.outcome.verdict(), Verdict::kRejected);
    EXPECT_THAT(measurement.outcome.detail, HasSubstr(name(reason)));
    EXPECT_EQ(measurement.events.size(), kSeven.size()) << "they are what the verdict rests on";
    core_.events = before;
  }
}

TEST_P(CountedValidation, WhatEveryRunHasIsNotTheBlocks) {
  for (const Reason reason : kSeven) add(reason, [](const SimulatedRun&) { return 3; });
  EXPECT_EQ(validated().outcome.reason, Reason::kNone);
}

TEST_P(CountedValidation, TooFewInstructionsAreFoundToo) {
  add(Reason::kInstructionCount,
      [](const SimulatedRun& run) { return run.copies > 1000 ? -1 : 0; });
  EXPECT_EQ(validated().outcome.reason, Reason::kInstructionCount);
}

TEST_P(CountedValidation, CountsWhatALoopAddsToItsCopies) {
  add(Reason::kInstructionCount, [](const SimulatedRun& run) { return -run.iterations; });
  EXPECT_EQ(validated(Notion::kUnrolled).outcome.reason, Reason::kNone);
  EXPECT_EQ(validated(Notion::kLooped).outcome.reason, Reason::kInstructionCount);
}

TEST_P(CountedValidation, TheFirstOfTheReasonsIsTheVerdict) {
  core_.events_in_group = 2;
  add(Reason::kBranchMiss, once_in_many_copies);
  add(Reason::kDataTlbMiss, once_in_many_copies);
  EXPECT_EQ(validated().outcome.reason, Reason::kDataTlbMiss);
}

TEST_P(CountedValidation, WhatATraitExplainsIsAccepted) {
  add(Reason::kSplitAccess, [](const SimulatedRun& run) { return run.copies; });
  EXPECT_EQ(validated().outcome.reason, Reason::kSplitAccess);
  core_.block = bytes_from_hex("488b433d");  // mov rax, [rbx+0x3d]
  const Measurement split = validated();
  EXPECT_TRUE(split.traits.has(Trait::kSplitLine));
  EXPECT_EQ(split.outcome.reason, Reason::kNone) << split.outcome.detail;
}

TEST_P(CountedValidation, DistrustsAnEventThatSteadyBlocksCause) {
  core_.events[std::string(name(Reason::kBranchMiss))] = once_in_many_copies;
  const Measurement measurement = validated();
  EXPECT_EQ(measurement.outcome.reason, Reason::kNone) << measurement.outcome.detail;
  EXPECT_EQ(measurement.events.size(), kSeven.size() - 1);
  EXPECT_THAT(profiler().distrusted_events(), ElementsAre(name(Reason::kBranchMiss)));
  EXPECT_EQ(profiler().validation().size(), kSeven.size() - 1);
}

TEST_P(CountedValidation, APassThatSawAnotherBlockThanTheTimedOneCountsForNothing) {
  profiler(events_);
  core_.cycles = [steady = core_.cycles](const SimulatedRun& run) {
    // A neighbour appears during the passes, in which no companions run.
    static bool timed = false;
    if (run.code == RunCode::kCanary) timed = true;
    if (run.code == RunCode::kOther || run.copies == 0) timed = false;
    return steady(run) * (run.code == RunCode::kBlock && !timed ? 1.5 : 1);
  };
  const Measurement measurement = measure();
  EXPECT_EQ(measurement.outcome.reason, Reason::kInterference) << measurement.outcome.detail;
  EXPECT_THAT(measurement.outcome.detail, HasSubstr("in pass 1 of its events: a copy took"));
  EXPECT_THAT(measurement.events, IsEmpty());
}

TEST_P(CountedValidation, AnotherReasonStands) {
  add(Reason::kBranchMiss, once_in_many_copies);
  core_.cycles = [steady = core_.cycles](const SimulatedRun& run) {
    return steady(run) + (run.code == RunCode::kBlock ? run.copies * run.copies / 1000 : 0);
  };
  profiler(events_);
  EXPECT_EQ(measure_undisturbed().outcome.reason, Reason::kNoSteadyState);
}

TEST_P(CountedValidation, IsOffIfTheSettingsSaySo) {
  settings_.validation = false;
  add(Reason::kBranchMiss, once_in_many_copies);
  const Measurement measurement = validated();
  EXPECT_EQ(measurement.outcome.reason, Reason::kNone);
  EXPECT_THAT(measurement.events, IsEmpty());
}

TEST_P(CountedValidation, LeavesOutWhatTheBackendDoesNotKnow) {
  core_.events.erase(std::string(name(Reason::kBranchMiss)));
  const Measurement measurement = validated();
  EXPECT_EQ(measurement.outcome.reason, Reason::kNone);
  EXPECT_EQ(measurement.events.size(), kSeven.size() - 1);
}

TEST_P(CountedValidation, SharesAnEventThatWasAskedFor) {
  settings_.events = {{"mine", std::string(name(Reason::kBranchMiss))}, {"other", "branches"}};
  add(Reason::kBranchMiss, once_in_many_copies);
  const Measurement measurement = validated();
  EXPECT_EQ(measurement.outcome.reason, Reason::kBranchMiss);
  EXPECT_THAT(measurement.outcome.detail, HasSubstr("mine"));
  ASSERT_EQ(measurement.events.size(), kSeven.size() + 1);
  EXPECT_EQ(measurement.events[0].name, "mine");
  EXPECT_TRUE(measurement.events[0].validates);
  EXPECT_FALSE(measurement.events[1].validates);
}

INSTANTIATE_TEST_SUITE_P(Counters, CountedValidation,
                         testing::Values(ReadMethod::kRdpmc, ReadMethod::kAround), name_of_method);

}  // namespace
}  // namespace assay

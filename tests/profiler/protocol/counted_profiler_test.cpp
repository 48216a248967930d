#include "tests/profiler/protocol/counted_profiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/protocol/protocols.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <set>

#include "profiler/machine/features.h"
#include "profiler/protocol/fixed_protocol.h"
#include "tests/profiler/machine/assumed_features.h"

namespace assay {
namespace {

constexpr int kForGood = 1'000'000;  // so many lost series that no test sees their end

using namespace std::chrono_literals;
using RunCode = SimulatedRun::Code;
using testing::HasSubstr;

/// The same, but for some code that takes longer the more copies there were before.
SimulatedCore::Count slower_and_slower(const SimulatedCore::Count& steady,
                                       const std::set<RunCode>& code) {
  return [steady, code](const SimulatedRun& run) {
    return steady(run) + (code.contains(run.code) ? run.copies * run.copies / 1000 : 0);
  };
}

TEST_P(CountedProfiler, CoreCyclesAreReadAsTheyAre) {
  for (const Notion notion : {Notion::kUnrolled, Notion::kLooped}) {
    const Measurement measurement = measure(notion);
    ASSERT_EQ(measurement.outcome.reason, Reason::kNone) << measurement.outcome.detail;
    EXPECT_EQ(measurement.outcome.verdict(), Verdict::kMeasured);
    EXPECT_DOUBLE_EQ(measurement.estimate->cycles, kCycles);
    EXPECT_NEAR(measurement.estimate->half_width, 0, 3e-4) << "a count may begin within a cycle";
    EXPECT_EQ(profiler().ratio(), CyclesPerTick(1));
    EXPECT_TRUE(measurement.events.empty());
  }
}

TEST_P(CountedProfiler, RunsThatWarmUpDoNotCount) {
  core_.cycles = [steady = core_.cycles](const SimulatedRun& run) {
    return steady(run) * (run.warm < (GetParam() == ReadMethod::kRdpmc ? 1 : 4) ? 2 : 1);
  };
  const Measurement measurement = measure();
  ASSERT_EQ(measurement.outcome.reason, Reason::kNone) << measurement.outcome.detail;
  EXPECT_DOUBLE_EQ(measurement.estimate->cycles, kCycles);
}

TEST_P(CountedProfiler, CopiesThatTakeLongerAndLongerAreNotSteady) {
  core_.cycles = slower_and_slower(core_.cycles, {RunCode::kBlock});
  const Measurement measurement = measure_undisturbed();
  EXPECT_EQ(measurement.outcome.verdict(), Verdict::kRejected);
  EXPECT_EQ(measurement.outcome.reason, Reason::kNoSteadyState);
  EXPECT_EQ(attempts_.size(), 3U) << "as planned, with more warm-up runs, with more copies";
}

TEST_P(CountedProfiler, ASlowStartIsLeftBehindByMoreCopies) {
  const Measurement plain = measure();
  core_.cycles = [steady = core_.cycles, n = plain.copies](const SimulatedRun& run) {
    const double slow = std::min(run.copies, 1.5 * static_cast<double>(n));
    return steady(run) + (run.code == RunCode::kBlock ? slow : 0);
  };
  const Measurement measurement = measure();
  ASSERT_EQ(measurement.outcome.reason, Reason::kNone) << measurement.outcome.detail;
  EXPECT_DOUBLE_EQ(measurement.estimate->cycles, kCycles);
  // Twice as many, or about half of what the micro-op cache feeds, of which a fifth came first.
  if (features().fed_instructions > 0) {
    EXPECT_NEAR(static_cast<double>(measurement.copies),
                static_cast<double>(features().fed_instructions) / 2, 64);
  } else {
    EXPECT_EQ(measurement.copies, plain.copies * 2);
  }
}

TEST_P(CountedProfiler, ABusyNeighbourIsInterference) {
  settings_.visit_patience = 20ms;
  profiler();
  core_.cycles = [steady = core_.cycles](const SimulatedRun& run) {
    return steady(run) * (run.code == RunCode::kReference ? 1 : 1.5);
  };
  const Measurement measurement = measure();
  EXPECT_EQ(measurement.outcome.reason, Reason::kInterference);
  EXPECT_GT(profiler().disturbed_series(), 0);
}

TEST_P(CountedProfiler, SeriesOfAllAlignmentsAreCounted) {
  const std::int64_t before = profiler().series();
  ASSERT_EQ(measure().outcome.reason, Reason::kNone);
  EXPECT_GE(profiler().series() - before, kAlignments / kAlignmentsInSeries);
}

TEST_P(CountedProfiler, EachPassOverTheAlignmentsHasItsSizes) {
  for (const Features& features : {AssumedFeatures::micro_op_cache(), AssumedFeatures::drained()}) {
    const AssumedFeatures assumed(features);
    // So much noise that it takes many passes.
    std::mt19937 random;
    std::set<double> sizes;
    const auto steady = core_.cycles;
    core_.cycles = [&](const SimulatedRun& run) {
      if (run.code != RunCode::kBlock) return steady(run);
      if (run.warm > 0) sizes.insert(run.copies);
      return steady(run) * std::uniform_real_distribution<double>(0.96, 1.04)(random);
    };
    const Measurement measurement = measure();
    core_.cycles = steady;
    const Estimate estimate = measurement.estimate.value_or(attempts_.front().evaluation->estimate);
    EXPECT_NEAR(estimate.cycles, kCycles, 0.01 * kCycles);
    // Where a reading is that of many runs, the first pass is enough.
    EXPECT_GT(sizes.size(), (GetParam() == ReadMethod::kRdpmc ? 3 : 1) * 2 * kAlignments);
  }
}

TEST_P(CountedProfiler, AControlTellsTheMomentFromTheBlock) {
  profiler();
  const auto steady = core_.cycles;
  core_.cycles = slower_and_slower(steady, {RunCode::kBlock});
  const Measurement of_block = measure_undisturbed();
  EXPECT_EQ(of_block.outcome.reason, Reason::kNoSteadyState);
  EXPECT_FALSE(of_block.settled);
  core_.cycles = slower_and_slower(steady, {RunCode::kBlock, RunCode::kControl});
  const Measurement of_moment = measure();
  EXPECT_EQ(of_moment.outcome.reason, Reason::kInterference);
  EXPECT_THAT(of_moment.outcome.detail, HasSubstr("at that moment (no_steady_state: "));
}

TEST_P(CountedProfiler, AControlTellsWhetherTheMicroOpCacheFeedsTheCopies) {
  const AssumedFeatures fed(AssumedFeatures::micro_op_cache());
  profiler();
  const auto steady = core_.cycles;
  core_.cycles = slower_and_slower(steady, {RunCode::kBlock});
  EXPECT_EQ(measure_undisturbed().outcome.reason, Reason::kNoSteadyState);
  core_.cycles = slower_and_slower(steady, {RunCode::kBlock, RunCode::kRoomy});
  EXPECT_EQ(measure().outcome.reason, Reason::kInterference);
  // Where the decoders feed them, it is of no interest.
  const AssumedFeatures decoders(AssumedFeatures::near_jumps());
  EXPECT_EQ(measure_undisturbed().outcome.reason, Reason::kNoSteadyState);
}

TEST_P(CountedProfiler, AnotherFrequencyIsTheSameInCoreCycles) {
  // With a clock of ticks, the reference chain would give the ratio; from a counter of core cycles,
  // such readings break its promise.
  settings_.visit_patience = 20ms;
  profiler();
  core_.cycles = [steady = core_.cycles](const SimulatedRun& run) { return steady(run) / 1.43; };
  EXPECT_EQ(measure().outcome.reason, Reason::kInterference);
}

TEST_P(CountedProfiler, ACounterThatIsScheduledOutIsAnError) {
  profiler();
  core_.lost_series = kForGood;
  EXPECT_THROW(measure(), CounterError);
}

TEST_P(CountedProfiler, AndNoneIfItComesBackSoon) {
  profiler();
  core_.lost_series = 2;
  const Measurement measurement = measure();
  ASSERT_EQ(measurement.outcome.reason, Reason::kNone) << measurement.outcome.detail;
  EXPECT_DOUBLE_EQ(measurement.estimate->cycles, kCycles);
  EXPECT_EQ(core_.lost_series, 0);
}

TEST_P(CountedProfiler, ANewSubjectIsCountedToo) {
  settings_.events = {{"mine", "instructions"}};
  const Bytes block = core_.block;
  // mov ebx, 0x5ec7002; shl rbx, 20; lock sub dword ptr [rbx + 0x10050], 1: counts the runs in the
  // subject's report backwards
  core_.block = bytes_from_hex("bb0270ec0548c1e314f083ab5000010001");
  EXPECT_EQ(measure().outcome.reason, Reason::kSubjectDamaged);
  core_.block = block;
  const Measurement measurement = measure();
  EXPECT_EQ(profiler().subjects_started(), 3);
  ASSERT_EQ(measurement.outcome.reason, Reason::kNone) << measurement.outcome.detail;
  EXPECT_DOUBLE_EQ(measurement.estimate->cycles, kCycles);
  EXPECT_DOUBLE_EQ(measurement.events.at(0).per_copy, 1);
}

TEST_P(CountedProfiler, NothingIsLearnedBesideABlockThatMaySpoilTheReadings) {
  settings_.visit_patience = std::chrono::milliseconds(100);
  const Bytes honest = core_.block;
  const Bytes spoiler = bytes_from_hex("8903");  // mov [rbx], eax
  const auto truly = core_.cycles;
  bool beside_spoiler = false;
  core_.cycles = [&](const SimulatedRun& run) {
    using Code = SimulatedRun::Code;
    // Other code runs where nothing but the companions is looked at.
    if (run.in_series == 0) beside_spoiler = false;
    if (run.code == Code::kBlock) beside_spoiler = core_.block == spoiler;
    const bool spoilt = beside_spoiler && run.code == Code::kCanary;
    return (spoilt ? 0.8 : 1) * truly(run);
  };
  ASSERT_EQ(measure().outcome.reason, Reason::kNone);  // the core is learned by now
  core_.block = spoiler;
  // Up to estimating, so that no control runs, which a block cannot spoil.
  for (int i = 0; i < 20; ++i) {
    profiler().measure({spoiler}, Notion::kUnrolled, {.last = Stage::kEstimate});
  }
  core_.block = honest;
  const Measurement measurement = measure();
  ASSERT_EQ(measurement.outcome.reason, Reason::kNone) << measurement.outcome.detail;
  EXPECT_DOUBLE_EQ(measurement.estimate->cycles, kCycles);
}

TEST_P(CountedProfiler, LooksAtTheClockByItselfWhereNothingElseTellsOfIt) {
  ASSERT_EQ(measure().outcome.reason, Reason::kNone);
  int beside_no_block = 0;
  const auto truly = core_.cycles;
  core_.cycles = [&](const SimulatedRun& run) {
    beside_no_block += run.code == SimulatedRun::Code::kOther ? 1 : 0;
    return truly(run);
  };
  core_.block = bytes_from_hex("8903");               // mov [rbx], eax
  const Bytes faulting = bytes_from_hex("31c08b08");  // xor eax, eax; mov ecx, [rax]
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(300)) {
    profiler().measure({core_.block}, Notion::kUnrolled, {.last = Stage::kPrepare});
    profiler().measure({faulting}, Notion::kUnrolled, {.last = Stage::kPrepare});
  }
  EXPECT_GT(beside_no_block, 0);
}

TEST_P(CountedProfiler, TheClockIsFineEnoughForEveryProtocol) {
  for (const std::string_view protocol : protocol_names()) {
    const auto budget = settings_.sampling_budget;
    const auto patience = settings_.visit_patience;
    settings_ = default_settings(protocol);
    settings_.protocol = protocol;
    settings_.sampling_budget = budget;
    settings_.visit_patience = patience;
    settings_.events = {{"mine", "instructions"}};
    profiler_.reset();
    for (const Notion notion : {Notion::kUnrolled, Notion::kLooped}) {
      const Measurement measurement = measure(notion);
      EXPECT_EQ(measurement.outcome.reason, Reason::kNone)
          << protocol << ": " << measurement.outcome.detail;
      ASSERT_TRUE(measurement.estimate) << protocol;
      EXPECT_NEAR(measurement.estimate->cycles, kCycles, 1e-9) << protocol;
      ASSERT_EQ(measurement.events.size(), 1U) << protocol;
      EXPECT_GE(measurement.events[0].per_copy, 1) << protocol;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Counters, CountedProfiler,
                         testing::Values(ReadMethod::kRdpmc, ReadMethod::kAround), name_of_method);

/// Tests of what only happens to counters that are read by RDPMC.
class RdpmcProfiler : public CountedProfiler {
 protected:
  std::int64_t lost_series() {
    std::int64_t lost = 0;
    for (const SeriesPoint& point : attempts_.back().series) {
      lost += point.fate == SeriesFate::kPreempted && point.kept == 0 ? 1 : 0;
    }
    return lost;
  }
};

TEST_P(RdpmcProfiler, ASeriesThatWasLostWithTheCoreIsDisturbed) {
  profiler();
  int touched = 0;
  core_.on_run = [&](const SimulatedRun& run) {
    // Only a series of samples begins with many runs of the block at one size.
    if (run.warm >= 3 && run.code == RunCode::kBlock && run.in_series == 6 && touched < 4) {
      core_.touch();
      ++touched;
    }
  };
  const std::int64_t before = profiler().disturbed_series();
  const Measurement measurement = measure();
  EXPECT_EQ(measurement.outcome.reason, Reason::kNone) << measurement.outcome.detail;
  EXPECT_EQ(lost_series(), 4);
  EXPECT_GE(profiler().disturbed_series(), before + 4);
  EXPECT_DOUBLE_EQ(measurement.estimate->cycles, kCycles);
}

TEST_P(RdpmcProfiler, CountersThatMoveAreFollowedInAllKernels) {
  settings_.events = {{"mine", "instructions"}};
  profiler();
  core_.on_run = [&](const SimulatedRun& run) {
    if (run.number % 1009 == 0) core_.move(1 + static_cast<std::uint32_t>(run.number) % 7);
  };
  const Measurement measurement = measure();
  ASSERT_EQ(measurement.outcome.reason, Reason::kNone) << measurement.outcome.detail;
  EXPECT_DOUBLE_EQ(measurement.estimate->cycles, kCycles);
  ASSERT_EQ(measurement.events.size(), 1U);
  EXPECT_DOUBLE_EQ(measurement.events[0].per_copy, 1);
}

TEST_P(RdpmcProfiler, ACoreThatIsAlwaysLostIsInterference) {
  settings_.visit_patience = 20ms;
  profiler();
  core_.on_run = [&](const SimulatedRun&) { core_.touch(); };
  EXPECT_EQ(measure().outcome.reason, Reason::kInterference);
  core_.on_run = {};
  EXPECT_EQ(measure().outcome.reason, Reason::kNone);
}

TEST_P(RdpmcProfiler, ACoreThatIsLostWhileItSamplesIsInterference) {
  settings_.visit_patience = 20ms;
  profiler();
  core_.on_run = [&](const SimulatedRun& run) {
    if (run.code == RunCode::kReference) core_.touch();
  };
  const Measurement measurement = measure();
  EXPECT_EQ(measurement.outcome.reason, Reason::kInterference);
  EXPECT_GT(lost_series(), 0);
  EXPECT_FALSE(measurement.estimate);
}

INSTANTIATE_TEST_SUITE_P(Counters, RdpmcProfiler, testing::Values(ReadMethod::kRdpmc),
                         name_of_method);

}  // namespace
}  // namespace assay

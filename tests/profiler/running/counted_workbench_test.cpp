#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <vector>

#include "profiler/counting/event_tally.h"
#include "profiler/machine/processor.h"
#include "profiler/running/loaded_block.h"
#include "profiler/running/workbench.h"
#include "profiler/sampling/reference.h"
#include "tests/processor_at_hand.h"
#include "tests/profiler/running/simulated_core.h"
#include "tests/profiler/subject/rdpmc.h"

namespace assay {
namespace {

constexpr int kForGood = 1'000'000;  // so many lost series that no test sees their end

using testing::Each;
using testing::ElementsAre;
using testing::ElementsAreArray;

constexpr double kCyclesPerCopy = 3;
constexpr std::uint32_t kRunCycles = 57;  ///< cycles of a run without its copies
constexpr std::uint32_t kRunInstructions = 12;

/// A workbench with simulated counters, and a block of two instructions on it.
class CountedWorkbench : public testing::Test {
 protected:
  explicit CountedWorkbench(ReadMethod method)
      : core_(method, bytes_from_hex("48ff0348ffc0"), kCyclesPerCopy) {}

  /// Makes the workbench, with these events and at most so many events in a group.
  Workbench& bench(std::vector<EventRequest> events = {}, std::size_t events_in_group = 14) {
    core_.events_in_group = events_in_group;
    backend_ = core_.backend();
    pin_to_processor(processor_);
    bench_.emplace(Clock{Ticks(1), CyclesPerTick(1)},
                   Workbench::Counting{*backend_, processor_, std::move(events), core_.emulator()});
    return *bench_;
  }
  std::optional<Outcome> load(std::size_t group = 0) {
    loaded_.emplace(*bench_, block_, state_, subject::Limits{});
    return loaded_->load(
        {Notion::kUnrolled, Copies(1), {Iterations(0), Iterations(10), Iterations(100)}}, 1, group);
  }
  std::vector<std::uint32_t> run(const Round& round, std::uint32_t rounds = 1) {
    const subject::SeriesResult series = loaded_->run(round, rounds);
    EXPECT_FALSE(series.fault) << series.fault->outcome.detail;
    return {series.readings.begin(), series.readings.end()};
  }

  const int processor_ = processor_at_hand();
  const Round small_ = {{.size = 1}};
  SimulatedCore core_;
  std::unique_ptr<CounterBackend> backend_;
  std::optional<Workbench> bench_;
  const InitialState state_ = distinct_initial_state();
  const Block block_ = std::get<Block>(decode(core_.block));
  std::optional<LoadedBlock> loaded_;
};

class RdpmcWorkbench : public CountedWorkbench {
 protected:
  RdpmcWorkbench() : CountedWorkbench(ReadMethod::kRdpmc) {}
  void SetUp() override {
    if (!rdpmc_faults()) GTEST_SKIP() << "this system lets every process use RDPMC";
  }

  /// Loads a kernel as it is, and runs one round of it.
  Workbench::JobResult run_kernel(const Kernel& kernel) {
    bench_->load(kernel);
    return bench_->run({{&kernel, 1}, state_, true, 0}, small_, 1, {});
  }
  Kernel kernel() {
    const std::array<Iterations, 3> sizes = {Iterations(0), Iterations(10), Iterations(100)};
    return std::get<Kernel>(
        unroll(block_, sizes, state_, bench_->block_address(), bench_->reads(0)));
  }
};

TEST_F(RdpmcWorkbench, TheFirstSeriesLearnsWhereTheCountersAre) {
  bench();
  const Workbench::JobResult first = run_kernel(kernel());
  EXPECT_TRUE(first.moved);
  EXPECT_TRUE(first.series.readings.empty());
  EXPECT_THAT(bench_->reads(0).counters, ElementsAre(core_.first_index - 1));
  run_kernel(kernel());  // maps the page
  const Workbench::JobResult second = run_kernel(kernel());
  EXPECT_FALSE(second.moved);
  EXPECT_THAT(second.series.readings, ElementsAre(kRunCycles + 3 * 10));
}

TEST_F(RdpmcWorkbench, CompanionsAreMadeAgainWithTheCounters) {
  bench();
  load();
  const auto readings = run({{.code = Code::kReference, .size = 1},
                             {.code = Code::kReference, .size = 0},
                             {.size = 1},
                             {.size = 2},
                             {.size = 0}},
                            2);
  ASSERT_EQ(readings.size(), 10U);
  EXPECT_EQ(readings[0] - readings[1], kReferenceAddedCopies.count());
  EXPECT_EQ(readings[2], kRunCycles + 3 * 10);
  EXPECT_EQ(readings[3], kRunCycles + 3 * 100);
  EXPECT_EQ(readings[4], kRunCycles);
}

TEST_F(RdpmcWorkbench, ReadingsOfAGroupLieCounterByCounter) {
  bench({{"i", "instructions"}, {"b", "branches"}}, 1);
  ASSERT_EQ(bench_->groups(), 3U);
  load(1);
  const Round round = {{.size = 2}, {.size = 1}};
  EXPECT_THAT(bench_->group(1).names(), ElementsAre("cycles", "i"));
  EXPECT_THAT(run(round), ElementsAre(kRunCycles + 3 * 100, kRunInstructions + 2 * 100,
                                      kRunCycles + 3 * 10, kRunInstructions + 2 * 10));
  load(2);
  EXPECT_THAT(bench_->group(2).names(), ElementsAre("cycles", "b"));
  EXPECT_THAT(run(round), ElementsAre(kRunCycles + 3 * 100, 2, kRunCycles + 3 * 10, 2));
}

TEST_F(RdpmcWorkbench, ACounterThatMovesBetweenSeriesIsFollowed) {
  bench({{"i", "instructions"}});
  for (const std::uint32_t place : {1U, 0x4000'0001U, 7U}) {
    core_.move(place);
    for (const std::size_t group : {std::size_t{1}, std::size_t{0}}) {
      load(group);
      const auto readings = run(small_);
      ASSERT_FALSE(readings.empty());
      EXPECT_EQ(readings[0], kRunCycles + 3 * 10);
      EXPECT_EQ(bench_->reads(group).counters[0], place - 1);
    }
  }
}

TEST_F(RdpmcWorkbench, ACounterThatMovesInASeriesIsFollowed) {
  bench();
  load();
  run(small_);
  core_.on_run = [&](const SimulatedRun&) {
    if (core_.first_index != 9) core_.move(9);
  };
  EXPECT_THAT(run(small_), ElementsAre(kRunCycles + 3 * 10));
  EXPECT_THAT(bench_->reads(0).counters, ElementsAre(8));
}

TEST_F(RdpmcWorkbench, ACounterThatMayNotBeReadIsAnError) {
  bench();
  load();
  core_.first_index = 0;
  EXPECT_THROW(run(small_), CounterError);
}

TEST_F(RdpmcWorkbench, ACounterThatIsNeverInItsPlaceIsAnError) {
  bench();
  load();
  core_.on_run = [&](const SimulatedRun&) { core_.move(core_.first_index + 1); };
  EXPECT_THROW(run(small_), CounterError);
}

TEST_F(RdpmcWorkbench, ALockThatChangedMeanwhileLeavesNoReadings) {
  bench();
  load();
  run(small_);
  core_.on_run = [&](const SimulatedRun& simulated) {
    if (simulated.in_series == 3) core_.touch();
  };
  EXPECT_EQ(run(small_, 3).size(), 3U);
  EXPECT_TRUE(run(small_, 4).empty());
}

TEST_F(RdpmcWorkbench, ACounterThatWasNotCountingIsAnError) {
  bench();
  load();
  run(small_);
  core_.lost_series = kForGood;
  EXPECT_THROW(run(small_), CounterError);
}

TEST_F(RdpmcWorkbench, ANewSubjectHasCountersOfItsOwn) {
  bench({{"i", "instructions"}});
  load(1);
  const auto readings = run(small_);
  core_.first_index = 3;
  bench_->restart();
  EXPECT_EQ(bench_->groups(), 2U);
  load(1);
  EXPECT_EQ(run(small_), readings);
}

class AroundWorkbench : public CountedWorkbench {
 protected:
  AroundWorkbench() : CountedWorkbench(ReadMethod::kAround) {}
};

// What is counted of each run around a series, in addition to what is counted within the run.
constexpr std::uint32_t kRun = 31;

TEST_F(AroundWorkbench, AReadingIsTheMeanOfTheRuns) {
  bench({{"i", "instructions"}});
  load(1);
  EXPECT_THAT(run({{.size = 2}, {.size = 0}}, 2),
              ElementsAreArray(
                  std::array{kRun + kRunCycles + 3 * 100, kRun + kRunInstructions + 2 * 100,  //
                             kRun + kRunCycles, kRun + kRunInstructions,                      //
                             kRun + kRunCycles + 3 * 100, kRun + kRunInstructions + 2 * 100,  //
                             kRun + kRunCycles, kRun + kRunInstructions}));
}

TEST_F(AroundWorkbench, RunsThatDoNotCountAreNotRun) {
  bench();
  load();
  run(small_);
  EXPECT_THAT(run({{.size = 2, .counts = false}, {.size = 1}, {.size = 1, .counts = false}}),
              ElementsAre(0, kRun + kRunCycles + 3 * 10, 0));
}

TEST_F(AroundWorkbench, ColdRunsAreInNoReading) {
  bench();
  load();
  const auto steady = core_.cycles;
  core_.cycles = [=](const SimulatedRun& simulated) {
    return steady(simulated) + (simulated.warm < 4 ? 5000 : 0);
  };
  EXPECT_THAT(run(small_), ElementsAre(kRun + kRunCycles + 3 * 10));
}

TEST_F(AroundWorkbench, AMeanIsRoundedToTheNearest) {
  for (const int share : {0, 15, 16, 17, 31, 32}) {
    bench();
    load();
    run(small_);
    core_.cycles = [=](const SimulatedRun& simulated) {
      return 100 + (simulated.in_series >= 4 && simulated.in_series < 4 + share ? 1 : 0);
    };
    EXPECT_THAT(run(small_), ElementsAre(kRun + (share < 16 ? 100 : 101)));
  }
}

TEST_F(AroundWorkbench, FewRunsThatCountMoreThanManyAreNone) {
  bench();
  load();
  run(small_);
  int series = 0;
  core_.cycles = [&](const SimulatedRun& simulated) {
    if (simulated.in_series == 0) ++series;
    return series % 2 == 1 ? 5000 : 1;
  };
  EXPECT_THAT(run(small_), ElementsAre(0));
}

TEST_F(AroundWorkbench, CompanionsAreCountedToo) {
  bench();
  load();
  const auto readings =
      run({{.code = Code::kReference, .size = 1}, {.code = Code::kReference, .size = 0}});
  EXPECT_EQ(readings[0] - readings[1], kReferenceAddedCopies.count());
}

TEST_F(AroundWorkbench, ACounterThatWasNotCountingIsAnError) {
  bench();
  load();
  core_.lost_series = kForGood;
  EXPECT_THROW(run(small_), CounterError);
}

}  // namespace
}  // namespace assay

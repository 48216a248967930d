#include "profiler/sampling/round.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace assay {
namespace {

const Plan kUsual{.sizes = {Iterations(100), Iterations(200), Iterations(300)}};
const Plan kStaggered{.sizes = {Iterations(100), Iterations(300), Iterations(500)},
                      .stagger = Copies(4)};

auto runs_of(const Round& round, Code code, std::size_t size, bool counts) {
  return std::ranges::count_if(round, [&](const KernelRun& run) {
    return run.code == code && run.size == size && run.counts == counts;
  });
}

TEST(Round, EachSizeCountsAsOftenAsAskedForBehindItsWarmUps) {
  for (const int times : {1, 6}) {
    const Round round = interleaved_round(Plan{}, times);
    for (const std::size_t size : {0U, 1U, 2U}) {
      EXPECT_EQ(runs_of(round, Code::kBlock, size, true), times);
      const auto first = std::ranges::find(round, size, &KernelRun::size);
      EXPECT_FALSE(first->counts);
    }
  }
}

TEST(Round, APairHasTwoSizesAndAsManyWarmUpsAsAskedFor) {
  const Round round = pair_round(3);
  for (const std::size_t size : {kSmall, kLarge}) {
    EXPECT_EQ(runs_of(round, Code::kBlock, size, true), 1);
    EXPECT_EQ(runs_of(round, Code::kBlock, size, false), 3);
  }
  EXPECT_EQ(runs_of(round, Code::kBlock, 2, true), 0);
}

TEST(Round, HasTheCompanionsInEachKind) {
  for (const Round& round : {interleaved_round(Plan{}, 4), pair_round(1)}) {
    for (const Code code : {Code::kReference, Code::kCanary}) {
      EXPECT_GE(runs_of(round, code, kSmall, true), 1);
      EXPECT_GE(runs_of(round, code, kLarge, true), 1);
    }
  }
}

TEST(InterleavedRound, RunsAtOnePlacementAfterTheOther) {
  const Round round = interleaved_round(kUsual, 4, 8);
  for (std::size_t alignment = 0; alignment < 8; ++alignment) {
    const auto of = [&](std::size_t size) {
      return std::ranges::count_if(round, [&](const KernelRun& run) {
        return run.code == Code::kBlock && run.size == size && run.alignment == alignment &&
               run.counts;
      });
    };
    EXPECT_EQ(of(2), 4);
    EXPECT_EQ(of(1), 4);
    EXPECT_EQ(of(0), 4);
  }
  EXPECT_EQ(std::ranges::count(round, true, &KernelRun::evict), 8);
  for (const KernelRun& run : round) {
    if (!run.evict) continue;
    EXPECT_EQ(run.size, 2U);
    EXPECT_FALSE(run.counts);
  }
  for (const std::size_t size : {kSmall, kLarge}) {
    EXPECT_EQ(runs_of(round, Code::kReference, size, true), 1);
  }
}

TEST(InterleavedRound, RunsTheCanaryBehindEachSize) {
  const Round round = interleaved_round(kUsual, 4, 2);
  int canaries = 0;
  for (std::size_t i = 1; i < round.size(); ++i) {
    const KernelRun& before = round[i - 1];
    const KernelRun& run = round[i];
    canaries += run.code == Code::kCanary && run.size == kLarge && run.counts;
    if (before.code != Code::kBlock) continue;
    const bool same = run.code == Code::kBlock && run.size == before.size;
    EXPECT_TRUE(same || run.code == Code::kCanary) << "run " << i;
  }
  EXPECT_EQ(canaries, 6);
  EXPECT_EQ(runs_of(round, Code::kCanary, kSmall, true), 6);
}

TEST(InterleavedRound, TheCanaryIsWarmWhenItCounts) {
  std::vector<std::string> runs;  // of the larger canary, behind each size: - does not count
  KernelRun before{.code = Code::kCanary};
  for (const KernelRun& run : interleaved_round(kUsual, 4, 2)) {
    if (run.code == Code::kCanary && run.size == kLarge) {
      if (before.code == Code::kBlock) runs.push_back(std::to_string(before.size));
      runs.back() += run.counts ? '+' : '-';
    }
    before = run;
  }
  EXPECT_THAT(runs, testing::ElementsAre("2---+", "1--+", "0--+", "2---+", "1--+", "0--+"));
}

TEST(InterleavedRound, WarmsUpAsOftenAsItIsAskedTo) {
  Plan plan;
  plan.warm_ups = 9;
  const Round round = interleaved_round(plan, 4);
  int warm_ups[kMostSizes] = {};
  for (const KernelRun& run : round) warm_ups[run.size] += run.code == Code::kBlock && !run.counts;
  EXPECT_THAT(warm_ups, testing::ElementsAre(1, 1, 9));
}

TEST(InterleavedRound, BeginsAtTheAlignmentThatIsAskedFor) {
  const Round round = interleaved_round(kUsual, 4, 2, 6);
  for (const KernelRun& run : round) {
    if (run.code != Code::kBlock) continue;
    EXPECT_THAT(run.alignment, testing::AnyOf(6U, 7U));
  }
  EXPECT_EQ(round.front().alignment, 6U);
}

TEST(InterleavedRound, TheThirdRunInALayoutTellsIt) {
  for (const Plan& usual : {kUsual, kStaggered}) {
    for (const int warm_ups : {1, 3, 16}) {
      Plan plan = usual;
      plan.warm_ups = warm_ups;
      const Round round = interleaved_round(plan, 4, 2);
      int since_eviction = 0;
      int told = 0;
      for (const KernelRun& run : round) {
        since_eviction = run.evict ? 1 : since_eviction + 1;
        EXPECT_TRUE(!run.evict || run.size == plan.common_size());
        if (!run.tells_layout) continue;
        ++told;
        EXPECT_EQ(since_eviction, std::min(warm_ups, 3));
        EXPECT_EQ(run.size, plan.common_size());
        EXPECT_FALSE(run.counts);
      }
      EXPECT_EQ(told, 2);
    }
  }
}

TEST(InterleavedRound, BringsNoDataInForOneAlignmentNorForCopiesThatWalk) {
  Plan walking = kUsual;
  walking.within_cache = Copies(400);
  for (const Round& round : {interleaved_round(kUsual, 4), interleaved_round(walking, 4, 2)}) {
    EXPECT_EQ(std::ranges::count(round, true, &KernelRun::evict), 0);
    EXPECT_EQ(std::ranges::count(round, true, &KernelRun::tells_layout), 0);
    EXPECT_EQ(round.front().size, kLargestSize);
  }
}

TEST(InterleavedRound, AStaggeredSizeWarmsUpItselfAsWell) {
  for (const int warm_ups : {1, 3, 16}) {
    Plan plan = kStaggered;
    plan.warm_ups = warm_ups;
    int idle = 0;
    for (const KernelRun& run : interleaved_round(plan, 4, 1, 5)) {
      idle += run.code == Code::kBlock && run.size == kLargestSize && !run.counts;
    }
    EXPECT_EQ(idle, warm_ups) << "with one alignment";
    idle = 0;
    for (const KernelRun& run : interleaved_round(plan, 4, 2)) {
      idle += run.code == Code::kBlock && run.size == kLargestSize && !run.counts;
    }
    EXPECT_EQ(idle, 2 * std::max(warm_ups - 3, 1)) << "behind those that tell the layout";
  }
}

TEST(FirstRound, TellsALayoutAtEachAlignmentAndMeetsAllSizes) {
  for (const Plan& plan : {kUsual, kStaggered}) {
    const Round round = first_round(plan, 8);
    EXPECT_EQ(std::ranges::count(round, true, &KernelRun::evict), 8);
    EXPECT_EQ(std::ranges::count(round, true, &KernelRun::tells_layout), 8);
    for (std::size_t alignment = 0; alignment < 8; ++alignment) {
      std::map<std::size_t, int> runs;
      for (const KernelRun& run : round) runs[run.size] += run.alignment == alignment;
      for (const auto& [size, count] : runs) {
        EXPECT_EQ(count, size == plan.common_size() ? 3 : 1) << "size " << size;
      }
      EXPECT_EQ(runs.size(), plan.common_size() + 1);
    }
    for (const KernelRun& run : round) EXPECT_EQ(run.counts, run.tells_layout);
  }
}

TEST(FirstRound, OnlyMeetsTheSizesOfCopiesThatWalk) {
  Plan walking = kStaggered;
  walking.within_cache = Copies(600);
  const Round round = first_round(walking, 8);
  EXPECT_EQ(round.size(), 8 * walking.sizes.size());
  EXPECT_EQ(std::ranges::count(round, true, &KernelRun::evict), 0);
  EXPECT_EQ(std::ranges::count(round, true, &KernelRun::counts), 0);
}

}  // namespace
}  // namespace assay

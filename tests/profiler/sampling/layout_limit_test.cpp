#include "profiler/sampling/layout_limit.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace assay {
namespace {

const ReadingStep kStep(Ticks(26), 5);

/// The limit, if the runs that tell layouts at eight alignments read so much, and all others more
/// or less.
std::optional<Reading> limit_of(const std::array<std::uint32_t, 8>& readings) {
  const Plan plan{.sizes = {Iterations(100), Iterations(300), Iterations(500)},
                  .stagger = Copies(4)};
  const Round round = first_round(plan, readings.size());
  std::vector<std::uint32_t> all;
  for (const KernelRun& run : round) {
    const auto other = static_cast<std::uint32_t>(1 + all.size() % 3);
    all.push_back(run.tells_layout ? readings[run.alignment] : other * 1000);
  }
  return layout_limit(round, all, kStep);
}

TEST(LayoutLimit, IsALittleAboveTheQuickestThatThreeShare) {
  const auto limit = limit_of({2600, 2000, 2020, 2700, 2040, 2650, 2610, 2900});
  ASSERT_TRUE(limit);
  EXPECT_GT(limit->count(), 2040);
  EXPECT_LT(limit->count(), 2200);
}

TEST(LayoutLimit, OneOrTwoQuickLayoutsAreExceptions) {
  const auto limit = limit_of({1500, 1510, 2000, 2020, 2040, 2010, 2000, 2030});
  ASSERT_TRUE(limit);
  EXPECT_GT(limit->count(), 2000);
}

TEST(LayoutLimit, WhereAllDifferThereIsNone) {
  EXPECT_FALSE(limit_of({1500, 1700, 1900, 2100, 2300, 2500, 2700, 2900}));
}

TEST(LayoutLimit, ARoundThatTellsNoLayoutsGivesNone) {
  const Plan walking{.sizes = {Iterations(100), Iterations(200), Iterations(300)},
                     .within_cache = Copies(400)};
  const Round round = first_round(walking, 8);
  EXPECT_FALSE(layout_limit(round, std::vector<std::uint32_t>(round.size(), 2000), kStep));
}

}  // namespace
}  // namespace assay

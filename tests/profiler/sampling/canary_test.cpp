#include "profiler/sampling/canary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace assay {
namespace {

using testing::DoubleNear;

constexpr int kMany = 160;  // so many series make ten observations

void learn(Canary& canary, double cycles_per_addition, int series) {
  for (int i = 0; i < series; ++i) canary.learn(cycles_per_addition);
}

TEST(Canary, HasAsManyAdditionsAsItSaysAndNothingElse) {
  const Block block = canary_block();
  EXPECT_EQ(static_cast<std::int64_t>(block.instructions.size()), kCanaryAdditions);
  EXPECT_EQ(block.demand.loads + block.demand.stores, 0);
}

TEST(Canary, KnowsItsPeak) {
  const Canary canary(4);
  EXPECT_THAT(canary.slowdown(0.25), DoubleNear(0, 1e-9));
  EXPECT_THAT(canary.slowdown(0.375), DoubleNear(0.5, 1e-9));
}

TEST(Canary, AKnownPeakIsNotUnlearned) {
  Canary canary(4);
  learn(canary, 0.4, kMany);
  EXPECT_THAT(canary.peak(), DoubleNear(0.25, 1e-9));
}

TEST(Canary, LearnsItsPeakFromTheFastestTenth) {
  Canary canary(std::nullopt);
  learn(canary, 0.4, 8 * kMany);
  learn(canary, 0.2, 2 * kMany);
  EXPECT_THAT(canary.peak(), DoubleNear(0.2, 0.002));
  EXPECT_THAT(canary.slowdown(0.3), DoubleNear(0.5, 0.02));
}

TEST(Canary, AFewLuckySeriesAreNoPeak) {
  Canary canary(std::nullopt);
  for (int i = 0; i < kMany; ++i) canary.learn(i % 8 == 0 ? 0.2 : 0.28);
  EXPECT_THAT(canary.peak(), DoubleNear(0.27, 0.002));
}

TEST(Canary, IgnoresWhatIsNoRate) {
  Canary canary(std::nullopt);
  learn(canary, -1, kMany);
  learn(canary, 0, kMany);
  learn(canary, std::numeric_limits<double>::quiet_NaN(), kMany);
  learn(canary, std::numeric_limits<double>::infinity(), kMany);
  learn(canary, 0.25, kMany);
  EXPECT_THAT(canary.peak(), DoubleNear(0.25, 0.002));
}

}  // namespace
}  // namespace assay

#include "profiler/sampling/canary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace assay {
namespace {

using testing::DoubleNear;

constexpr int kMany = 40;  // so many series make ten observations

void learn(Canary& canary, double cycles_per_nop, int series) {
  for (int i = 0; i < series; ++i) canary.learn(cycles_per_nop);
}

TEST(Canary, HasAsManyNopsAsItSaysAndNothingElse) {
  for (const int bytes : {3, 4, 5, 6}) {
    const Block block = canary_block(bytes);
    EXPECT_EQ(static_cast<std::int64_t>(block.instructions.size()), kCanaryNops);
    for (const Instruction& nop : block.instructions) {
      EXPECT_EQ(static_cast<int>(nop.length), bytes);
    }
    EXPECT_EQ(block.demand.operations + block.demand.loads + block.demand.stores, 0);
    EXPECT_LE(static_cast<std::int64_t>(block.bytes.size()) * kCanaryLargeCopies.count(), 4096);
  }
}

TEST(Canary, BeginsWithThePeakThatIsKnown) {
  const Canary canary(4);
  EXPECT_THAT(canary.slowdown(0.25), DoubleNear(0, 1e-9));
  EXPECT_THAT(canary.slowdown(0.375), DoubleNear(0.5, 1e-9));
  EXPECT_EQ(canary.peak_scatter(), 0);
}

TEST(Canary, ASurePeakIsNotUnlearned) {
  Canary canary(4);
  learn(canary, 0.24, kMany);
  EXPECT_THAT(canary.peak(), DoubleNear(0.25, 1e-9));
}

TEST(Canary, ADisturbedCoreTeachesNothingIfThePeakIsKnown) {
  Canary canary(4, 0.05);
  learn(canary, 0.265, 100 * kMany);
  EXPECT_THAT(canary.peak(), DoubleNear(0.25, 1e-9));
  learn(canary, 0.26, kMany);
  EXPECT_THAT(canary.peak(), DoubleNear(0.26, 0.002));
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
  for (int i = 0; i < kMany; ++i) canary.learn(i % 4 == 0 ? 0.2 : 0.28);
  EXPECT_THAT(canary.peak(), DoubleNear(0.26, 0.002));
}

TEST(Canary, AFewSeriesThatAreFarTooFastAreNotInThePeak) {
  Canary canary(std::nullopt);
  learn(canary, 0.25, 19 * kMany);
  learn(canary, 0.08, kMany);
  EXPECT_THAT(canary.peak(), DoubleNear(0.25, 0.002));
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

#include "profiler/cores/slowdown.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace assay {
namespace {

/// Groups of four slices whose ratios scatter a little, and are greater in loaded slices.
std::vector<TimeSlice> made_up(int fours, double slowdown, double scatter = 0.002) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(1, scatter);
  std::vector<TimeSlice> slices;
  for (int i = 0; i < fours; ++i) {
    const bool first = random() % 2 == 0;
    for (const bool loaded : {first, !first, !first, first}) {
      slices.push_back({0.25 * (loaded ? 1 + slowdown : 1) * noise(random), loaded});
    }
  }
  return slices;
}

TEST(Slowdown, OfUndisturbedCoresIsNone) {
  const Slowdown slowdown = judge_slowdown(made_up(40, 0));
  EXPECT_EQ(slowdown.sharing, Sharing::kApart);
  EXPECT_NEAR(slowdown.share, 0, 0.002);
  EXPECT_GT(slowdown.half_width, 0);
  EXPECT_LT(slowdown.half_width, 0.003);
}

TEST(Slowdown, OfThreadsOfOneCoreIsFound) {
  for (const double share : {0.3, 1.0, 2.0}) {
    const Slowdown slowdown = judge_slowdown(made_up(40, share));
    EXPECT_EQ(slowdown.sharing, Sharing::kShared);
    EXPECT_NEAR(slowdown.share, share, 0.01);
  }
}

TEST(Slowdown, NearTheBoundIsUnsure) {
  EXPECT_EQ(judge_slowdown(made_up(40, kSharingBound)).sharing, Sharing::kUnsure);
  EXPECT_EQ(judge_slowdown(made_up(40, 0, 0.5)).sharing, Sharing::kUnsure) << "too much scatter";
  EXPECT_EQ(judge_slowdown(made_up(40, 0.04)).sharing, Sharing::kApart);
  EXPECT_EQ(judge_slowdown(made_up(40, 0.06)).sharing, Sharing::kShared);
}

TEST(Slowdown, IsUnsureOfFewStretches) {
  EXPECT_EQ(judge_slowdown({}).sharing, Sharing::kUnsure);
  const std::vector<TimeSlice> enough = made_up(12, 0);
  EXPECT_EQ(judge_slowdown(enough).sharing, Sharing::kApart);
  EXPECT_EQ(judge_slowdown(std::span(enough).first(47)).sharing, Sharing::kUnsure);
}

TEST(Slowdown, PassesOverFoursThatDoNotCount) {
  std::vector<TimeSlice> slices = made_up(40, 0);
  // An idle and a loaded slice are spoiled: what is left of the four would have the same slowdown.
  const auto spoil = [&](std::size_t four) {
    slices[4 * four].ratio = 0;
    slices[4 * four + 1].ratio = 0;
  };
  for (std::size_t four = 0; four < 28; ++four) spoil(four);
  EXPECT_EQ(judge_slowdown(slices).sharing, Sharing::kApart) << "twelve are left";
  spoil(28);
  EXPECT_EQ(judge_slowdown(slices).sharing, Sharing::kUnsure);
}

TEST(Slowdown, InterruptsDoNotCount) {
  for (const double share : {0.0, 1.0}) {
    std::vector<TimeSlice> slices = made_up(40, share);
    for (std::size_t i = 0; i < slices.size(); i += 12) slices[i].ratio *= 20;
    EXPECT_NEAR(judge_slowdown(slices).share, share, 0.01);
  }
}

TEST(Slowdown, AnotherGuestThatComesAndGoesDropsOut) {
  std::vector<TimeSlice> slices = made_up(40, 0);
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (i / 28 % 2 == 0) slices[i].ratio *= 1.9;
  }
  EXPECT_EQ(judge_slowdown(slices).sharing, Sharing::kApart);
}

TEST(Slowdown, ADriftDropsOut) {
  std::vector<TimeSlice> slices = made_up(40, 0, 0.0005);
  for (std::size_t i = 0; i < slices.size(); ++i) {
    slices[i].ratio *= 1 + 0.01 * static_cast<double>(i);
  }
  EXPECT_NEAR(judge_slowdown(slices).share, 0, 0.001);
}

// Intervals promise 99.9 %: of 2000 intervals two are expected to miss the truth. That more than
// ten do has a chance below 0.1 %.
TEST(Slowdown, IntervalsHoldTheTruth) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(1, 0.01);
  for (const int fours : {12, 13, 20, 40}) {
    int missed = 0;
    for (int i = 0; i < 2000; ++i) {
      std::vector<TimeSlice> slices;
      for (int k = 0; k < 4 * fours; ++k) slices.push_back({noise(random), k % 4 % 3 == 0});
      const Slowdown slowdown = judge_slowdown(slices);
      if (std::abs(slowdown.share) > slowdown.half_width) ++missed;
    }
    EXPECT_LE(missed, 10) << fours;
  }
}

}  // namespace
}  // namespace assay

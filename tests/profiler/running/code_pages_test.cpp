#include "profiler/running/code_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <span>
#include <vector>

#include "profiler/sampling/reference.h"

namespace assay {
namespace {

using testing::ElementsAre;

constexpr std::size_t kWanted = 8;  // pages: six readings show them
const ReadingStep kStep(Ticks(26), 5);

std::vector<std::uint32_t> readings_with(std::initializer_list<std::size_t> uneven) {
  std::vector<std::uint32_t> readings(20, 1000);
  for (const std::size_t page : uneven) readings.at(page) = 1100;
  return readings;
}

/// The first pages that a few turns give.
std::set<std::size_t> first_pages(std::span<const std::uint32_t> readings,
                                  std::uint32_t turns = 40) {
  std::set<std::size_t> pages;
  for (std::uint32_t turn = 0; turn < turns; ++turn) {
    pages.insert(first_even_page(readings, kWanted, kStep, turn));
  }
  return pages;
}

TEST(FirstEvenPage, IsEachOneInTurnIfAllAreEven) {
  const auto pages = first_pages(readings_with({}));
  EXPECT_EQ(pages.size(), 15U);
  EXPECT_EQ(*pages.begin(), 0U);
  EXPECT_EQ(*pages.rbegin(), 14U);
  EXPECT_EQ(first_pages(readings_with({}), 5).size(), 5U) << "another one each time";
}

TEST(FirstEvenPage, LiesBehindWhatIsUneven) {
  EXPECT_EQ(*first_pages(readings_with({0})).begin(), 1U);
  EXPECT_EQ(*first_pages(readings_with({5})).begin(), 6U);
  EXPECT_THAT(first_pages(readings_with({6, 13})), ElementsAre(0U, 7U, 14U))
      << "no wanted page is the third";
  EXPECT_EQ(*first_pages(readings_with({2, 7})).begin(), 8U);
}

TEST(FirstEvenPage, HasTheFewestUnevenOnesBehindItWhereNoneHasNone) {
  const auto pages = first_pages(readings_with({0, 1, 5, 10, 11, 15}));
  EXPECT_THAT(pages, ElementsAre(2U, 3U, 4U, 12U, 13U, 14U)) << "one of six";
}

TEST(FirstEvenPage, NeedsNoReadingBeyondTheWantedPages) {
  EXPECT_THAT(first_pages(std::vector<std::uint32_t>(6, 1000)), ElementsAre(0U));
  EXPECT_THAT(first_pages(std::vector<std::uint32_t>{1100, 1000, 1000, 1000, 1000, 1000, 1000}),
              ElementsAre(1U));
}

TEST(FirstEvenPage, ALittleMoreIsNotUneven) {
  std::vector<std::uint32_t> readings = readings_with({});
  readings[3] = 1070;
  EXPECT_EQ(first_pages(readings).size(), 15U);
}

SampleMean mean_of(double readings) { return {Reading(readings)}; }

TEST(Bend, IsTheDifferenceOfBothHalvesInTheWhole) {
  EXPECT_DOUBLE_EQ(bend(mean_of(100), mean_of(200), mean_of(300)), 0);
  EXPECT_DOUBLE_EQ(bend(mean_of(100), mean_of(200), mean_of(400)), 1.0 / 3);
  EXPECT_DOUBLE_EQ(bend(mean_of(100), mean_of(300), mean_of(400)), -1.0 / 3);
}

/// The bends at places, as straight_place() asks for them.
struct Places {
  std::vector<double> bends;
  int asked = 0;

  std::size_t straight(double most) {
    asked = 0;
    return straight_place(bends.size(), most, [this](std::size_t place) {
      ++asked;
      return bends.at(place);
    });
  }
};

TEST(StraightPlace, IsTheFirstThatHardlyBends) {
  Places places{{0.02, -0.02, 0.001, 0}};
  EXPECT_EQ(places.straight(0.0025), 2U);
  EXPECT_EQ(places.asked, 3);
  EXPECT_EQ(places.straight(0.1), 0U);
  EXPECT_EQ(places.asked, 1);
}

TEST(StraightPlace, IsTheOneThatBendsLeastWhereAllDo) {
  EXPECT_EQ((Places{{0.02, -0.01, 0.03}}.straight(0.0025)), 1U);
}

/// The bend of the reference chain by as many readings as the workbench takes, where those of the
/// largest size are too long by so many cycles.
double read_bend(double too_long, std::mt19937& random) {
  constexpr double kDeviation = 5;  // of a reading, in cycles (Zen 5)
  std::normal_distribution<double> noise(0, kDeviation / std::sqrt(kBendReadings));
  const auto at = [&](Copies copies, double more) {
    return mean_of(copies.real() + more + noise(random));
  };
  return bend(at(kReferenceSmallCopies, 0), at(kReferenceMiddleCopies, 0),
              at(kReferenceLargeCopies, too_long));
}

TEST(StraightPlace, TellsAReferenceThatWaitsForItsCode) {
  constexpr int kTimes = 2000;
  std::mt19937 random(1);
  const auto passes = [&](double too_long) {
    int passed = 0;
    for (int i = 0; i < kTimes; ++i) {
      passed += std::abs(read_bend(too_long, random)) <= kMostReferenceBend;
    }
    return passed;
  };
  EXPECT_EQ(passes(28), 0);
  EXPECT_LT(passes(10), kTimes / 100);
  EXPECT_GT(passes(0), kTimes * 95 / 100);
}

}  // namespace
}  // namespace assay

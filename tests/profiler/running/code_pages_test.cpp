#include "profiler/running/code_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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

/// Readings of three sizes, each of which comes from a call; those of runs that warm up are twice
/// as long.
template <typename Function>
std::vector<std::uint32_t> bend_readings(const Function& reading_of) {
  std::vector<std::uint32_t> readings;
  for (std::uint32_t round = 0; round < kBendRounds; ++round) {
    for (std::size_t size = 0; size < 3; ++size) {
      for (std::size_t run = 0; run < kBendRuns; ++run) {
        const double reading = run + 1 < kBendRuns ? 7000 : reading_of(size);
        readings.push_back(static_cast<std::uint32_t>(std::lround(reading)));
      }
    }
  }
  return readings;
}

double bend_of(const std::array<double, 3>& times) {
  return bend(bend_readings([&](std::size_t size) { return times[size]; }), kStep.whole);
}

TEST(Bend, IsTheDifferenceOfBothHalvesInTheWhole) {
  EXPECT_DOUBLE_EQ(bend_of({1000, 2000, 3000}), 0);
  EXPECT_DOUBLE_EQ(bend_of({1000, 2000, 4000}), 1.0 / 3);
  EXPECT_DOUBLE_EQ(bend_of({1000, 3000, 4000}), -1.0 / 3);
}

TEST(Bend, LeavesOutWhatAnInterruptMade) {
  std::vector<std::uint32_t> readings =
      bend_readings([](std::size_t size) { return 1000 * static_cast<double>(size + 1); });
  readings[5] = readings[29] = 100'000;
  EXPECT_DOUBLE_EQ(bend(readings, kStep.whole), 0);
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

/// The bend of the reference chain, as the workbench reads it, where runs of the largest size take
/// so many cycles too long.
double read_bend(double too_long, std::mt19937& random) {
  constexpr double kReadingsInACycle = 3.1;  // five stamps, 1.6 cycles a tick (Zen 5)
  constexpr std::array kSizes = {kReferenceSmallCopies, kReferenceMiddleCopies,
                                 kReferenceLargeCopies};
  std::normal_distribution<double> noise(0, 5);  // cycles by which a reading is off
  return bend(bend_readings([&](std::size_t size) {
                const double cycles = kSizes[size].real() + (size == 2 ? too_long : 0);
                return kReadingsInACycle * (300 + cycles + noise(random));
              }),
              kStep.whole);
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

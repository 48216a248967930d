#include "profiler/running/code_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <span>
#include <vector>

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

}  // namespace
}  // namespace assay

#include "profiler/running/code_pages.h"

#include <gtest/gtest.h>

#include <vector>

namespace assay {
namespace {

constexpr std::size_t kWanted = 8;  // pages: six readings show them
const ReadingStep kStep(Ticks(26), 5);

std::vector<std::uint32_t> readings_with(std::initializer_list<std::size_t> uneven) {
  std::vector<std::uint32_t> readings(20, 1000);
  for (const std::size_t page : uneven) readings.at(page) = 1100;
  return readings;
}

TEST(FirstEvenPage, IsTheFirstOneIfAllAreEven) {
  EXPECT_EQ(first_even_page(readings_with({}), kWanted, kStep), 0U);
}

TEST(FirstEvenPage, LiesBehindWhatIsUneven) {
  EXPECT_EQ(first_even_page(readings_with({0}), kWanted, kStep), 1U);
  EXPECT_EQ(first_even_page(readings_with({5}), kWanted, kStep), 6U);
  EXPECT_EQ(first_even_page(readings_with({6}), kWanted, kStep), 0U)
      << "no wanted page is the third";
  EXPECT_EQ(first_even_page(readings_with({2, 7}), kWanted, kStep), 8U);
}

TEST(FirstEvenPage, HasTheFewestUnevenOnesBehindItWhereNoneHasNone) {
  EXPECT_EQ(first_even_page(readings_with({0, 1, 5, 10, 11, 15}), kWanted, kStep), 2U);
}

TEST(FirstEvenPage, NeedsNoReadingBeyondTheWantedPages) {
  EXPECT_EQ(first_even_page(std::vector<std::uint32_t>(6, 1000), kWanted, kStep), 0U);
  EXPECT_EQ(first_even_page(std::vector<std::uint32_t>{1100, 1000, 1000, 1000, 1000, 1000, 1000},
                            kWanted, kStep),
            1U);
}

TEST(FirstEvenPage, ALittleMoreIsNotUneven) {
  std::vector<std::uint32_t> readings = readings_with({});
  readings[3] = 1070;
  EXPECT_EQ(first_even_page(readings, kWanted, kStep), 0U);
}

}  // namespace
}  // namespace assay

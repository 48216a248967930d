#include "profiler/running/code_pages.h"

#include <gtest/gtest.h>

#include <vector>

namespace assay {
namespace {

constexpr std::size_t kWanted = 8;  // pages: six readings show them

std::vector<std::uint32_t> readings_with(std::initializer_list<std::size_t> uneven) {
  std::vector<std::uint32_t> readings(20, 1000);
  for (const std::size_t page : uneven) readings.at(page) = 1080;
  return readings;
}

TEST(FirstEvenPage, IsTheFirstOneIfAllAreEven) {
  EXPECT_EQ(first_even_page(readings_with({}), kWanted), 0U);
}

TEST(FirstEvenPage, LiesBehindWhatIsUneven) {
  EXPECT_EQ(first_even_page(readings_with({0}), kWanted), 1U);
  EXPECT_EQ(first_even_page(readings_with({5}), kWanted), 6U);
  EXPECT_EQ(first_even_page(readings_with({6}), kWanted), 0U) << "no wanted page is the third";
  EXPECT_EQ(first_even_page(readings_with({2, 7}), kWanted), 8U);
}

TEST(FirstEvenPage, HasTheFewestUnevenOnesBehindItWhereNoneHasNone) {
  EXPECT_EQ(first_even_page(readings_with({0, 1, 5, 10, 11, 15}), kWanted), 2U);
}

TEST(FirstEvenPage, ALittleMoreIsNotUneven) {
  std::vector<std::uint32_t> readings = readings_with({});
  readings[3] = 1040;
  EXPECT_EQ(first_even_page(readings, kWanted), 0U);
}

}  // namespace
}  // namespace assay

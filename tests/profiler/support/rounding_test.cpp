#include "profiler/support/rounding.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace assay {
namespace {

TEST(RoundedUp, IsTheNextMultipleOrTheValueItself) {
  EXPECT_EQ(rounded_up<std::uint64_t>(0, 64), 0U);
  EXPECT_EQ(rounded_up<std::uint64_t>(1, 64), 64U);
  EXPECT_EQ(rounded_up<std::uint64_t>(64, 64), 64U);
  EXPECT_EQ(rounded_up<std::uint64_t>(65, 64), 128U);
  EXPECT_EQ(rounded_up(7, 1), 7);
  EXPECT_EQ(rounded_up(7, 3), 9);
}

}  // namespace
}  // namespace assay

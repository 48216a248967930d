#include "profiler/support/quantity.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "profiler/support/units.h"

namespace assay {
namespace {

TEST(Quantity, IsReckonedWithLikeANumber) {
  EXPECT_EQ(Ticks(5) + Ticks(2), Ticks(7));
  EXPECT_EQ((Ticks(5) - Ticks(2)) * 2, Ticks(6));
  EXPECT_EQ(Ticks(6) / 4, Ticks(1.5));
  EXPECT_EQ(Cycles(6) / Cycles(4), 1.5) << "how many times";
  EXPECT_LT(Copies(6), Copies(7));
  EXPECT_EQ(Copies(7).real(), 7.0);
}

TEST(Quantity, OfAnotherUnitIsAnotherType) {
  static_assert(!std::is_convertible_v<Ticks, Cycles>);
  static_assert(!std::is_convertible_v<double, Cycles>);
  static_assert(!std::is_convertible_v<Copies, Iterations>);
}

TEST(Rate, LeadsFromOneUnitToTheOther) {
  const CyclesPerTick ratio(Cycles(3), Ticks(2));
  EXPECT_EQ(ratio.value(), 1.5);
  EXPECT_EQ(ratio * Ticks(4), Cycles(6));
  EXPECT_EQ(ratio.inverse(Cycles(6)), Ticks(4));
}

TEST(Units, AReadingOfSeveralStampsCountsEachTickAsOften) {
  const CyclesPerReading ratio = per_reading(CyclesPerTick(1.5), 3);
  EXPECT_EQ(ratio * Reading(300), Cycles(150));
  EXPECT_EQ(per_tick(ratio, 3), CyclesPerTick(1.5));
}

}  // namespace
}  // namespace assay

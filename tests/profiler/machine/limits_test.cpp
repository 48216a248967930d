#include "profiler/machine/limits.h"

#include <gtest/gtest.h>

#include <variant>

#include "profiler/block/block.h"

namespace assay {
namespace {

Demand demand_of(const char* hex) { return std::get<Block>(decode(bytes_from_hex(hex))).demand; }

TEST(Limits, AreOnlyGivenWhereTheyWereChecked) {
  EXPECT_TRUE(limits_of("zen4"));
  EXPECT_FALSE(limits_of("unknown"));
}

TEST(Limits, TheTightestOneIsTheFloor) {
  const MachineLimits limits{"made up", 4, 6, 3, 2};
  EXPECT_DOUBLE_EQ(floor_of({.operations = 12, .loads = 1, .stores = 1}, limits), 2);
  EXPECT_DOUBLE_EQ(floor_of({.operations = 4, .loads = 4, .stores = 0}, limits), 4.0 / 3);
  EXPECT_DOUBLE_EQ(floor_of({.operations = 6, .loads = 1, .stores = 6}, limits), 3);
}

TEST(Demand, CountsWhatIsSure) {
  const Demand demand = demand_of("488b0348890b4801035058");  // a load, a store, both, push, pop
  EXPECT_EQ(demand.operations, 5);
  EXPECT_EQ(demand.loads, 3);
  EXPECT_EQ(demand.stores, 3);
}

TEST(Demand, LeavesOutWhatMayBeFusedOrSkipped) {
  EXPECT_EQ(demand_of("900f1f8000000000").operations, 0);  // nop; nop dword ptr [rax]
  EXPECT_EQ(demand_of("900f1f8000000000").loads, 0);
  EXPECT_EQ(demand_of("4839d875fb").operations, 1);  // cmp rax, rbx; jne
  EXPECT_EQ(demand_of("488d4308").loads, 0);         // lea
}

}  // namespace
}  // namespace assay

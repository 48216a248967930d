#include "profiler/machine/limits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>

#include "profiler/block/block.h"
#include "profiler/machine/microarchitecture.h"

namespace assay {
namespace {

Demand demand_of(const char* hex) { return std::get<Block>(decode(bytes_from_hex(hex))).demand; }

TEST(Limits, AreKnownOfEveryMicroarchitectureThatIsRecognised) {
  for (const Microarchitecture& row : all_microarchitectures()) {
    const std::string name(row.name);
    // A hybrid CPU's name ends in the kind of core.
    EXPECT_TRUE(limits_of(name) || (limits_of(name + "-p") && limits_of(name + "-e"))) << name;
  }
  EXPECT_FALSE(limits_of("unknown"));
}

TEST(Limits, AreTestedWhereTheMicroarchitectureIs) {
  for (const MachineLimits& limits : all_limits()) {
    const bool tested =
        std::ranges::any_of(all_microarchitectures(), [&](const Microarchitecture& row) {
          return row.name == limits.microarchitecture && row.tested;
        });
    EXPECT_EQ(limits.tested, tested) << limits.microarchitecture;
  }
}

TEST(Limits, AreAllThereInEveryRow) {
  for (const MachineLimits& limits : all_limits()) {
    for (const double limit :
         {limits.nops ? limits.nops->per_cycle : 1, limits.operations_per_cycle,
          limits.loads_per_cycle, limits.stores_per_cycle, limits.taken_branches_per_cycle}) {
      EXPECT_GE(limit, 1) << limits.microarchitecture;
      EXPECT_LE(limit, 8) << limits.microarchitecture;
    }
    EXPECT_TRUE(limits.nops || !limits.tested) << limits.microarchitecture;
  }
}

TEST(Limits, OfACoreKnownByItsAgeAreTheLargestOfItsGeneration) {
  const std::string_view names[] = {"skylake", "icelake"};
  const auto joint = joint_limits_of(names);
  ASSERT_TRUE(joint);
  EXPECT_EQ(joint->operations_per_cycle, 5);
  EXPECT_EQ(joint->stores_per_cycle, 2);
  ASSERT_TRUE(joint->nops);
  EXPECT_EQ(joint->nops->per_cycle, 4) << "both reach it";
  EXPECT_EQ(joint->nops->bytes, 3);
  EXPECT_FALSE(joint_limits_of({}));
}

TEST(Limits, OfAGenerationLeaveRoomForNewerCores) {
  const std::string_view names[] = {"zen5"};
  const auto joint = joint_limits_of(names);
  ASSERT_TRUE(joint && joint->nops);
  EXPECT_EQ(limits_of("zen5")->nops->leeway, 0);
  EXPECT_GT(joint->nops->leeway, 0);
}

TEST(Limits, NopsOfAGenerationAreUnknownIfOneOfItsCoresAre) {
  const std::string_view names[] = {"alderlake", "icelake"};
  const auto joint = joint_limits_of(names);
  ASSERT_TRUE(joint);
  EXPECT_FALSE(joint->nops) << "those of alderlake-e are not known";
  EXPECT_EQ(joint->operations_per_cycle, 6);
}

TEST(Limits, TheTightestOneIsTheFloor) {
  const MachineLimits limits{"made up", {}, 6, 3, 2, 1, false};
  EXPECT_DOUBLE_EQ(floor_of({.operations = 12, .loads = 1, .stores = 1}, limits), 2);
  EXPECT_DOUBLE_EQ(floor_of({.operations = 4, .loads = 4}, limits), 4.0 / 3);
  EXPECT_DOUBLE_EQ(floor_of({.operations = 6, .loads = 1, .stores = 6}, limits), 3);
  EXPECT_DOUBLE_EQ(floor_of({.operations = 6, .loads = 1, .taken_branches = 2}, limits), 2);
}

TEST(Limits, StoresBindWhereNothingElseTakesLonger) {
  const MachineLimits limits{"made up", {}, 6, 3, 2, 1, false};
  EXPECT_TRUE(stores_bind({.operations = 3, .stores = 1}, limits)) << "both half a cycle";
  EXPECT_FALSE(stores_bind({.operations = 4, .stores = 1}, limits));
  EXPECT_FALSE(stores_bind({.operations = 3, .loads = 2, .stores = 1}, limits));
  EXPECT_FALSE(stores_bind({.operations = 1}, limits));
}

TEST(Demand, CountsAMoveAndWhatChangesItsCopyAsOne) {
  EXPECT_EQ(demand_of("89f183e107").operations, 1);      // mov ecx, esi; and ecx, 7
  EXPECT_EQ(demand_of("4889f14883e107").operations, 1);  // the same in 64 bits
  EXPECT_EQ(demand_of("83e10789f1").operations, 1) << "the copy that follows changes it";
  EXPECT_EQ(demand_of("89f183e207").operations, 2) << "another register";
  EXPECT_EQ(demand_of("89f189d1").operations, 2) << "what overwrites it does not change it";
  EXPECT_EQ(demand_of("89f10fb6c9").operations, 2) << "nor does movzx ecx, cl";
  EXPECT_EQ(demand_of("6689f16683e107").operations, 2) << "16 bits";
  EXPECT_EQ(demand_of("8b0e83e107").operations, 1);        // mov ecx, [rsi]; and ecx, 7
  EXPECT_EQ(demand_of("f30f6f06660ffec1").operations, 1);  // movdqu xmm0, [rsi]; paddd xmm0, xmm1
  EXPECT_EQ(demand_of("660f6fc2660ffec1").operations, 1);  // movdqa xmm0, xmm2; paddd xmm0, xmm1
  EXPECT_EQ(demand_of("890e83e107").operations, 2) << "a store";
  EXPECT_EQ(demand_of("0f2806660ffec1").operations, 2) << "movaps xmm0, [rsi]; paddd xmm0, xmm1";
  EXPECT_EQ(demand_of("660f6fc2660ffed0").operations, 2) << "another register";
}

TEST(Demand, CountsWhatIsSure) {
  const Demand demand = demand_of("488b0348890b4801035058");  // a load, a store, both, push, pop
  EXPECT_EQ(demand.operations, 5);
  EXPECT_EQ(demand.loads, 3);
  EXPECT_EQ(demand.stores, 3);
}

TEST(Demand, AJumpIsTakenAndAConditionalOneMayBe) {
  EXPECT_EQ(demand_of("4801d8eb00").taken_branches, 1);
  EXPECT_EQ(demand_of("4801d8e900000000").taken_branches, 1);
  EXPECT_EQ(demand_of("4801d87500").taken_branches, 0);
  EXPECT_EQ(demand_of("4801d8").taken_branches, 0);
}

TEST(Demand, LeavesOutWhatMayBeFusedOrSkipped) {
  EXPECT_EQ(demand_of("900f1f8000000000").operations, 0);  // nop; nop dword ptr [rax]
  EXPECT_EQ(demand_of("900f1f8000000000").loads, 0);
  EXPECT_EQ(demand_of("4839d875fb").operations, 1);  // cmp rax, rbx; jne
  EXPECT_EQ(demand_of("488d4308").loads, 0);         // lea
}

}  // namespace
}  // namespace assay

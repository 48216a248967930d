#include "profiler/measurement/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::HasSubstr;

TEST(Plan, CountsCopies) {
  Plan plan;
  EXPECT_EQ(plan.fewest_copies(), Copies(0)) << "without a plan";
  plan.body = Copies(3);
  plan.sizes = {Iterations(10), Iterations(20), Iterations(40)};
  EXPECT_EQ(plan.copies(1), Copies(60));
  EXPECT_EQ(plan.fewest_copies(), Copies(30));
  EXPECT_EQ(plan.most_copies(), Copies(120));
  EXPECT_EQ(plan.added_copies(), Copies(90));
}

TEST(NoRoom, SaysHowMuchThereIs) {
  const Block block = std::get<Block>(decode(Bytes(100, 0x90)));
  constexpr std::size_t kCache = std::size_t{32} * 1024;  // 12 KiB of it are kept for other code
  EXPECT_FALSE(no_room(block, Copies(204), kCache));
  const auto refused = no_room(block, Copies(205), kCache);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->reason, Reason::kTooLarge);
  EXPECT_THAT(refused->detail, HasSubstr("205 copies of 100 bytes"));
}

TEST(Plan, CopiesInARowAskForWhatOneDoes) {
  const Block block = std::get<Block>(decode(bytes_from_hex("488b03488903eb00")));
  const Demand demand = demand_of(block, {});
  EXPECT_EQ(demand.operations, 2);
  EXPECT_EQ(demand.loads, 1);
  EXPECT_EQ(demand.stores, 1);
  EXPECT_EQ(demand.taken_branches, 1);
}

TEST(Plan, AnIterationAsksForItsCopiesAndItsEnd) {
  const auto demand = [](const std::string& hex, std::int64_t body_copies) {
    Plan plan;
    plan.notion = Notion::kLooped;
    plan.body = Copies(body_copies);
    return demand_of(std::get<Block>(decode(bytes_from_hex(hex))), plan);
  };
  const Demand open = demand("488b03488903", 3);
  EXPECT_EQ(open.operations, 3 * 2 + 1);
  EXPECT_EQ(open.loads, 3);
  EXPECT_EQ(open.stores, 3);
  EXPECT_EQ(open.taken_branches, 1);
  EXPECT_EQ(demand("eb00", 3).taken_branches, 3) << "the last of them leads back";
  EXPECT_EQ(demand("7500", 3).taken_branches, 1);
}

}  // namespace
}  // namespace assay

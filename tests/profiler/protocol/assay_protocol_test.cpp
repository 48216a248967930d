#include "profiler/protocol/assay_protocol.h"

#include <gtest/gtest.h>

#include "tests/profiler/codegen/assumed_jumps.h"
#include "tests/profiler/protocol/planning.h"

namespace assay {
namespace {

class AssayProtocolTest : public testing::Test {
 protected:
  AssayProtocolTest() {
    visit_.outcome = {Reason::kNone, ""};
    visit_.estimate = Estimate{.cycles = 1, .half_width = 0.001};
    visit_.timed = {.runs = 960, .dropped = 0};
  }

  Settings settings_;
  AssayProtocol protocol_{settings_, kInstructionCache};
  Measurement visit_;
};

TEST_F(AssayProtocolTest, AVisitSettlesNoValue) { EXPECT_FALSE(protocol_.settles(visit_)); }

TEST_F(AssayProtocolTest, AVisitDoesNotSettleWhatMayBeItsMoments) {
  for (const ReasonInfo& info : all_reasons()) {
    if (info.reason == Reason::kNone) continue;
    Measurement without = visit_;
    without.outcome.reason = info.reason;
    without.estimate.reset();
    EXPECT_EQ(protocol_.settles(without), !may_pass(info.reason)) << info.name;
  }
}

TEST_F(AssayProtocolTest, TriesTwiceTheCopiesFirstWherePagesAreAlike) {
  const Plan plan = std::get<Plan>(protocol_.plan(nops(5), Notion::kUnrolled));
  const Plan loop = std::get<Plan>(protocol_.plan(nops(5), Notion::kLooped));
  const Plan large = std::get<Plan>(protocol_.plan(nops(4000), Notion::kUnrolled));
  {
    const AssumedJumps far(true);
    const auto longer = protocol_.longer(plan);
    ASSERT_TRUE(longer);
    EXPECT_EQ(longer->fewest_copies().count(), 2 * plan.fewest_copies().count());
    EXPECT_EQ(longer->most_copies().count(), 6 * plan.fewest_copies().count());
    EXPECT_EQ(longer->raised, 0) << "what is slow is shortened still";
    EXPECT_FALSE(protocol_.longer(loop));
    EXPECT_FALSE(protocol_.longer(large)) << "there may be no room";
  }
  const AssumedJumps near(false);
  EXPECT_FALSE(protocol_.longer(plan));
}

}  // namespace
}  // namespace assay

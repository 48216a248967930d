#include "profiler/protocol/assay_protocol.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace assay

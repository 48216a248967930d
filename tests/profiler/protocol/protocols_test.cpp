#include "profiler/protocol/protocols.h"

#include <gtest/gtest.h>

#include "profiler/support/error.h"
#include "tests/profiler/protocol/planning.h"

namespace assay {
namespace {

TEST(Protocols, EachNameHasOneAndAssaysOwnIsFirst) {
  EXPECT_EQ(protocol_names().front(), "assay");
  for (const std::string_view name : protocol_names()) {
    const Settings settings = default_settings(name);
    const auto protocol = make_protocol(settings, kInstructionCache);
    EXPECT_EQ(protocol->reads_clock_once(), name != "assay") << name;
    EXPECT_EQ(protocol->alignments() == 1, name != "assay") << name;
  }
  EXPECT_THROW(make_protocol(default_settings("exegesis"), kInstructionCache), InputError);
}

TEST(Protocols, OnlyAssaysOwnRaisesItsPlan) {
  const Block nop = std::get<Block>(decode({0x90}));
  for (const std::string_view name : protocol_names()) {
    const Settings settings = default_settings(name);
    const auto protocol = make_protocol(settings, kInstructionCache);
    const Plan plan = std::get<Plan>(protocol->plan(nop, Notion::kUnrolled));
    EXPECT_EQ(protocol->raised(plan, Reason::kNoSteadyState).has_value(), name == "assay") << name;
    EXPECT_EQ(protocol->raised(plan, Reason::kBelowLimit).has_value(), name == "assay") << name;
    EXPECT_FALSE(protocol->raised(plan, Reason::kUnstable)) << name;
    EXPECT_FALSE(protocol->raised(plan, Reason::kNone)) << name;
  }
}

TEST(Protocols, BhiveBringsItsStateAndItsFilter) {
  const Settings settings = default_settings("bhive");
  EXPECT_EQ(settings.initial_state, "bhive");
  EXPECT_EQ(settings.state_overrides.frames, 1);
  EXPECT_TRUE(settings.reject.has(Trait::kSplitLine));
  EXPECT_EQ(to_json(default_settings("assay")), to_json(Settings{}));
  EXPECT_EQ(default_settings("uica").initial_state, Settings{}.initial_state);
  EXPECT_EQ(default_settings("uica").reject, Settings{}.reject);
}

}  // namespace
}  // namespace assay

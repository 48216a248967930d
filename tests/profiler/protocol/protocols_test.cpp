#include "profiler/protocol/protocols.h"

#include <gtest/gtest.h>

#include "profiler/support/error.h"

namespace assay {
namespace {

constexpr std::size_t kCache = std::size_t{32} * 1024;

Settings of(std::string_view protocol) { return default_settings(protocol); }

TEST(Protocols, EachNameHasOneAndAssaysOwnIsFirst) {
  EXPECT_EQ(protocol_names().front(), "assay");
  for (const std::string_view name : protocol_names()) {
    const Settings settings = of(name);
    const auto protocol = make_protocol(settings, kCache);
    EXPECT_EQ(protocol->reads_clock_once(), name != "assay") << name;
    EXPECT_EQ(protocol->alignments() == 1, name != "assay") << name;
  }
  EXPECT_THROW(make_protocol(of("exegesis"), kCache), InputError);
}

TEST(Protocols, OnlyAssaysOwnRaisesItsPlan) {
  const Block nop = std::get<Block>(decode({0x90}));
  for (const std::string_view name : protocol_names()) {
    const Settings settings = of(name);
    const auto protocol = make_protocol(settings, kCache);
    const Plan plan = std::get<Plan>(protocol->plan(nop, Notion::kUnrolled));
    EXPECT_EQ(protocol->raised(plan, Reason::kNoSteadyState).has_value(), name == "assay") << name;
    EXPECT_EQ(protocol->raised(plan, Reason::kBelowLimit).has_value(), name == "assay") << name;
    EXPECT_FALSE(protocol->raised(plan, Reason::kUnstable)) << name;
    EXPECT_FALSE(protocol->raised(plan, Reason::kNone)) << name;
  }
}

TEST(Protocols, BhiveBringsItsStateAndItsFilter) {
  const Settings settings = of("bhive");
  EXPECT_EQ(settings.initial_state, "bhive");
  EXPECT_EQ(settings.state_overrides.frames, 1);
  EXPECT_TRUE(settings.reject.has(Trait::kSplitLine));
  EXPECT_EQ(to_json(of("assay")), to_json(Settings{}));
  EXPECT_EQ(of("uica").initial_state, Settings{}.initial_state);
  EXPECT_EQ(of("uica").reject, Settings{}.reject);
}

}  // namespace
}  // namespace assay

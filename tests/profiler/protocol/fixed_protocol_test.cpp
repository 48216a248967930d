#include "profiler/protocol/fixed_protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "profiler/sampling/sample.h"
#include "profiler/subject/layout.h"
#include "profiler/support/error.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kCache = std::size_t{32} * 1024;

Block nops(int count) {
  return std::get<Block>(decode(Bytes(static_cast<std::size_t>(count), 0x90)));
}

/// One instruction of ten bytes, so many times.
Block long_moves(int count) {
  std::string hex;
  for (int i = 0; i < count; ++i) hex += "48b8f0debc9a78563412";
  return std::get<Block>(decode(bytes_from_hex(hex)));
}

Settings of(std::string_view protocol) { return default_settings(protocol); }

std::variant<Plan, Outcome> planned(const Settings& settings, const Block& block,
                                    Notion notion = Notion::kUnrolled) {
  return plan_fixed(fixed_protocol(settings).value(), block, notion, settings, kCache);
}

Plan plan_of(const Settings& settings, const Block& block, Notion notion = Notion::kUnrolled) {
  return std::get<Plan>(planned(settings, block, notion));
}

TEST(FixedProtocolTest, AllNamesButAssaysOwnAreFixed) {
  for (const std::string_view name : protocol_names()) {
    EXPECT_EQ(fixed_protocol(of(name)).has_value(), name != "assay") << name;
  }
  EXPECT_THROW(fixed_protocol(of("exegesis")), InputError);
}

TEST(FixedProtocolTest, UicaMakesFiveHundredInstructions) {
  EXPECT_THAT(plan_of(of("uica"), nops(1)).sizes, ElementsAre(500, 1000));
  EXPECT_THAT(plan_of(of("uica"), nops(3)).sizes, ElementsAre(167, 334));
  EXPECT_THAT(plan_of(of("uica"), nops(500)).sizes, ElementsAre(1, 2));
  EXPECT_THAT(plan_of(of("uica"), nops(501)).sizes, ElementsAre(1, 2));
  EXPECT_EQ(std::get<Outcome>(planned(of("uica"), nops(10'241))).reason, Reason::kTooLarge);
}

TEST(FixedProtocolTest, BhiveTakesFewerCopiesOfLargerBlocks) {
  // 20 KiB of the cache are left: 102 bytes fit 200 times, 204 bytes 100 times, 640 bytes 32 times.
  EXPECT_THAT(plan_of(of("bhive"), long_moves(10)).sizes, ElementsAre(100, 200));
  EXPECT_THAT(plan_of(of("bhive"), long_moves(11)).sizes, ElementsAre(50, 100));
  EXPECT_THAT(plan_of(of("bhive"), long_moves(20)).sizes, ElementsAre(50, 100));
  EXPECT_THAT(plan_of(of("bhive"), long_moves(21)).sizes, ElementsAre(16, 32));
  EXPECT_THAT(plan_of(of("bhive"), long_moves(64)).sizes, ElementsAre(16, 32));
  const auto refused = planned(of("bhive"), long_moves(65));
  EXPECT_EQ(std::get<Outcome>(refused).reason, Reason::kTooLarge);
  EXPECT_THAT(std::get<Outcome>(refused).detail, HasSubstr("32 copies of 650 bytes"));
}

TEST(FixedProtocolTest, NanobenchTakesWhatItIsTold) {
  Settings settings = of("nanobench");
  EXPECT_THAT(plan_of(settings, nops(1)).sizes, ElementsAre(1000, 2000));
  EXPECT_EQ(std::get<Outcome>(planned(settings, nops(11))).reason, Reason::kTooLarge);
  settings.nanobench = {7, 30, 1, 12, Aggregate::kMinimum};
  EXPECT_THAT(plan_of(settings, nops(11)).sizes, ElementsAre(7, 14));
  const Plan plan = plan_of(settings, nops(11), Notion::kLooped);
  EXPECT_EQ(plan.notion, Notion::kLooped);
  EXPECT_EQ(plan.body_copies, 7);
  EXPECT_THAT(plan.sizes, ElementsAre(30, 60));
  const FixedProtocol protocol = fixed_protocol(settings).value();
  EXPECT_EQ(protocol.warm_ups, 1);
  EXPECT_EQ(protocol.runs, 12);
  EXPECT_EQ(protocol.aggregate, Aggregate::kMinimum);
  EXPECT_EQ(protocol.trim, 0);
  // In a loop the body stands there once.
  settings.nanobench.unroll = 2000;
  EXPECT_EQ(plan_of(settings, nops(10), Notion::kLooped).body_copies, 2000);
  EXPECT_EQ(std::get<Outcome>(planned(settings, nops(11), Notion::kLooped)).reason,
            Reason::kTooLarge);
}

TEST(FixedProtocolTest, OnlyTheAverageOfNanobenchIsTrimmed) {
  Settings settings = of("nanobench");
  EXPECT_EQ(fixed_protocol(settings)->trim, 0.2);
  settings.nanobench.aggregate = Aggregate::kMedian;
  EXPECT_EQ(fixed_protocol(settings)->trim, 0);
}

TEST(FixedProtocolTest, LoopedMakesTurnsOfCopies) {
  Settings settings = of("bhive");
  settings.loop_min_instructions = 10;
  const Plan plan = plan_of(settings, nops(4), Notion::kLooped);
  EXPECT_EQ(plan.notion, Notion::kLooped);
  EXPECT_EQ(plan.body_copies, 3);
  EXPECT_THAT(plan.sizes, ElementsAre(100, 200));
}

TEST(FixedProtocolTest, BhiveBringsItsStateAndItsFilter) {
  const Settings settings = of("bhive");
  EXPECT_EQ(settings.initial_state, "bhive");
  EXPECT_EQ(settings.state_overrides.frames, 1);
  EXPECT_TRUE(settings.reject.has(Trait::kSplitLine));
  EXPECT_EQ(to_json(of("assay")), to_json(Settings{}));
  EXPECT_EQ(of("uica").initial_state, Settings{}.initial_state);
  EXPECT_EQ(of("uica").reject, Settings{}.reject);
}

TEST(FixedProtocolTest, TheMostWarmUpsFitARound) {
  EXPECT_LE(pair_round(kMostWarmUps).size(), std::size_t{subject::kMaxKernels});
}

}  // namespace
}  // namespace assay

#include "harness/output/measurement_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;

MeasuredBlock measured_addition() {
  MeasuredBlock block;
  block.bytes = {0x48, 0x01, 0xd8};
  block.text = "add rax, rbx";
  block.measurement.outcome = {Reason::kNone, ""};
  block.measurement.estimate = Estimate{1.0, 0.25};
  block.measurement.timed = {400, 3};
  block.measurement.copies = 500;
  block.ratio = CyclesPerTick(1.5);
  return block;
}

TEST(MeasurementOutput, AMeasuredBlockHasItsInterval) {
  const auto json = to_json(measured_addition(), {});
  EXPECT_EQ(json["cycles"], 1.0);
  EXPECT_EQ(json["ci95"].dump(), "[0.75,1.25]");
  EXPECT_EQ(json["runs"], 400);
  EXPECT_EQ(json["dropped"], 3);
  EXPECT_THAT(to_text(measured_addition(), {}), HasSubstr("1.000 +- 0.250"));
}

TEST(MeasurementOutput, ARejectedBlockHasNoCycles) {
  MeasuredBlock block = measured_addition();
  block.measurement.outcome.reason = Reason::kUnstable;
  block.measurement.estimate.reset();
  const auto json = to_json(block, {});
  EXPECT_TRUE(json["cycles"].is_null());
  EXPECT_TRUE(json["ci95"].is_null());
  EXPECT_THAT(to_text(block, {}), Not(HasSubstr("1.000 +-")));
  EXPECT_THAT(to_text(block, {}), HasSubstr("unstable: "));
}

TEST(MeasurementOutput, TellsTheStateThatWasUsedAndTheTraits) {
  MeasuredBlock block = measured_addition();
  block.measurement.notion = Notion::kLooped;
  block.measurement.initial_state = "apart";
  block.measurement.traits = {Trait::kSplitLine, Trait::kSubnormal};
  const auto json = to_json(block, {});
  EXPECT_EQ(json["notion"], "looped");
  EXPECT_EQ(json["initial_state"], "apart");
  EXPECT_EQ(json["traits"].dump(), R"(["split_line","subnormal"])");
  EXPECT_THAT(to_text(block, {}),
              HasSubstr("  state    apart\n  traits   split_line, subnormal\n"));
}

TEST(MeasurementOutput, EachModeHasALine) {
  MeasuredBlock block = measured_addition();
  EXPECT_THAT(to_text(block, {}), Not(HasSubstr("modes")));
  block.measurement.visits = 7;
  block.measurement.modes = {{.cycles = 1, .half_width = 0.003, .visits = 4, .share = 2.0 / 3},
                             {.cycles = 1.5, .half_width = 0.004, .visits = 2, .share = 1.0 / 3}};
  EXPECT_EQ(to_json(block, {})["modes"].size(), 2U);
  EXPECT_THAT(to_text(block, {}), HasSubstr("  visits   7\n"
                                            "  modes    1.000 +- 0.003 per copy (4 visits, 67 %)\n"
                                            "           1.500 +- 0.004 per copy (2 visits, 33 %)\n"
                                            "  notion"));
}

TEST(MeasurementOutput, EachValueAtOtherPlacesHasALine) {
  MeasuredBlock block = measured_addition();
  EXPECT_THAT(to_text(block, {}), Not(HasSubstr("places")));
  block.measurement.placements = {{.offset = 8, .cycles = 1, .half_width = 0.003},
                                  {.offset = 24, .cycles = 1.5, .half_width = 0.003},
                                  {.offset = 40, .cycles = 1.004, .half_width = 0.003}};
  EXPECT_EQ(to_json(block, {})["placements"].size(), 3U);
  EXPECT_THAT(
      to_text(block, {}),
      HasSubstr("  places   1.000 to 1.004 where copies begin 8, 40 bytes behind a multiple of 64\n"
                "           1.500 where copies begin 24 bytes behind a multiple of 64\n"));
  block.measurement.notion = Notion::kLooped;
  EXPECT_THAT(to_text(block, {}), HasSubstr("1.500 where the loop begins 24 bytes"));
}

TEST(MeasurementOutput, ABlockThatNeverRanHasNoStateAndNoTraits) {
  const auto json = to_json(measured_addition(), {});
  EXPECT_EQ(json["initial_state"], "");
  EXPECT_EQ(json["traits"].dump(), "[]");
  EXPECT_THAT(to_text(measured_addition(), {}), Not(HasSubstr("  state")));
  EXPECT_THAT(to_text(measured_addition(), {}), Not(HasSubstr("  traits")));
}

TEST(MeasurementOutput, AnUnknownRatioIsNull) {
  MeasuredBlock block = measured_addition();
  block.ratio.reset();
  EXPECT_TRUE(to_json(block, {})["core_cycles_per_tick"].is_null());
}

}  // namespace
}  // namespace assay

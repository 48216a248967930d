#include "profiler/protocol/control.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

Evaluation evaluation_of(double half_width, int series, int left_out) {
  Evaluation evaluation{};
  evaluation.estimate = {1, half_width};
  evaluation.series = series;
  evaluation.left_out = left_out;
  return evaluation;
}

TEST(Control, WasLeftAloneIfItsIntervalIsNarrow) {
  EXPECT_TRUE(was_left_alone(evaluation_of(0.029, 8, 0)));
  EXPECT_FALSE(was_left_alone(evaluation_of(0.031, 8, 0)));
}

TEST(Control, WasNotIfMoreOfItsSeriesWereLeftOutThanByChance) {
  EXPECT_TRUE(was_left_alone(evaluation_of(0.01, 11, 1))) << "it happens";
  EXPECT_FALSE(was_left_alone(evaluation_of(0.01, 9, 3)));
  EXPECT_TRUE(was_left_alone(evaluation_of(0.01, 92, 8)));
  EXPECT_FALSE(was_left_alone(evaluation_of(0.01, 88, 12))) << "more are surer";
}

TEST(Control, IsMeasuredInTheSameWayWhateverIsAskedOfBlocks) {
  Settings asked;
  asked.initial_state = "numbers";
  asked.state_overrides.frames = 1;
  asked.reject = {};
  asked.target_relative = 0.001;
  asked.accept_relative = 0.1;
  asked.loop_min_instructions = 100;
  asked.loop_end = LoopEndChoice::kOwn;
  asked.loop_alignment = 8;
  EXPECT_EQ(to_json(settings_of_control(asked)), to_json(settings_of_control({})));
}

}  // namespace
}  // namespace assay

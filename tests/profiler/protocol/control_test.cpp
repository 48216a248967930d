#include "profiler/protocol/control.h"

#include <gtest/gtest.h>

#include <vector>

namespace assay {
namespace {

Evaluation evaluation_of(double half_width) {
  Evaluation evaluation{};
  evaluation.estimate = {1, half_width};
  return evaluation;
}

/// The points of so many series, each at as many alignments as those of assay's own protocol.
std::vector<SeriesPoint> points_of(std::size_t taken, std::size_t disturbed) {
  std::vector<SeriesPoint> points(taken * kAlignmentsInSeries);
  points.resize(points.size() + disturbed * kAlignmentsInSeries, {.fate = SeriesFate::kDisturbed});
  return points;
}

TEST(Control, WasLeftAloneIfItsIntervalIsNarrow) {
  EXPECT_TRUE(was_left_alone(evaluation_of(0.019), points_of(8, 0)));
  EXPECT_FALSE(was_left_alone(evaluation_of(0.021), points_of(8, 0)));
}

TEST(Control, WasNotIfItsSeriesWereDisturbedMoreOftenThanByChance) {
  EXPECT_TRUE(was_left_alone(evaluation_of(0.01), points_of(11, 1))) << "it happens";
  EXPECT_FALSE(was_left_alone(evaluation_of(0.01), points_of(9, 3)));
  EXPECT_TRUE(was_left_alone(evaluation_of(0.01), points_of(92, 8)));
  EXPECT_FALSE(was_left_alone(evaluation_of(0.01), points_of(88, 12))) << "more are surer";
}

TEST(Control, IsMeasuredInTheSameWayWhateverIsAskedOfBlocks) {
  Settings asked;
  asked.initial_state = "numbers";
  asked.state_overrides.frames = 1;
  asked.reject = {};
  asked.target_relative = 0.001;
  EXPECT_EQ(to_json(settings_of_control(asked)), to_json(settings_of_control({})));
}

}  // namespace
}  // namespace assay

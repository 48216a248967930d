#include "profiler/protocol/assay_judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "profiler/protocol/floor_check.h"

namespace assay {
namespace {

using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Settings settings() {
  Settings settings;
  settings.target_relative = 0.005;
  settings.target_cycles = 0.005;
  settings.accept_relative = 0.01;
  settings.accept_cycles = 0.02;
  settings.accept_slowdown = 0.02;
  return settings;
}

Steadiness steadiness(double first_cycles, double further_cycles, double half_width = 0) {
  return {first_cycles, further_cycles, half_width};
}

/// What an estimate is judged by, apart from its own interval.
struct Circumstances {
  double slowdown = 0;
  double floor = 0;
  Steadiness steadiness_found = steadiness(1, 1);
  bool can_be_raised = false;
};

Outcome judged(const Estimate& estimate, const Circumstances& circumstances) {
  const Evaluation evaluation = {
      estimate, {100, 0}, circumstances.steadiness_found, {}, circumstances.slowdown};
  return judge_evaluation(evaluation, circumstances.floor, settings(), circumstances.can_be_raised);
}

Estimate estimate_of(double cycles, double half_width) { return {cycles, half_width}; }

TEST(Judge, AcceptsWhatIsSure) {
  for (const Estimate& estimate :
       {estimate_of(10, 0.099), estimate_of(1, 0.0199), estimate_of(0.25, 0.0199)}) {
    const Outcome outcome = judged(estimate, {0.01, 0});
    EXPECT_EQ(outcome.verdict(), Verdict::kMeasured);
    EXPECT_EQ(outcome.reason, Reason::kNone);
    EXPECT_TRUE(outcome.detail.empty());
  }
}

TEST(Judge, RejectsWhatIsNot) {
  for (const Estimate& estimate :
       {estimate_of(10, 0.101), estimate_of(1, 0.021), estimate_of(-0.5, 0.001), estimate_of(0, 0),
        estimate_of(0.01, 0.015), estimate_of(kNan, kNan), estimate_of(1, kNan)}) {
    const Outcome outcome = judged(estimate, {});
    EXPECT_EQ(outcome.verdict(), Verdict::kRejected) << estimate.cycles;
    EXPECT_EQ(outcome.reason, Reason::kUnstable);
    EXPECT_FALSE(outcome.detail.empty());
  }
}

TEST(Judge, RejectsWhatTheCoreCannotDo) {
  const auto reason_for = [](double cycles, double half_width) {
    return judged(estimate_of(cycles, half_width), {0, 1}).reason;
  };
  EXPECT_EQ(reason_for(0.97, 0.01), Reason::kBelowLimit);
  EXPECT_EQ(reason_for(0.5, 0.4), Reason::kBelowLimit);  // the limit is checked before the width
  EXPECT_EQ(reason_for(0.985, 0.01), Reason::kNone);     // the interval reaches 99 % of the floor
  EXPECT_EQ(reason_for(1.5, 0.01), Reason::kNone);
}

TEST(Judge, AFloorThatIsNotKnownRejectsNothing) {
  EXPECT_FALSE(is_below(estimate_of(0.001, 0), 0));
}

TEST(Judge, RejectsWhatWasDisturbed) {
  for (const double slowdown : {0.021, 0.5, kNan}) {
    const Outcome outcome = judged(estimate_of(1, 0.001), {slowdown, 0});
    EXPECT_EQ(outcome.verdict(), Verdict::kRejected) << slowdown;
    EXPECT_EQ(outcome.reason, Reason::kInterference);
  }
}

TEST(Judge, RejectsWhatHasNotSettled) {
  const Outcome outcome = judged(estimate_of(1, 0.001), {0, 0, steadiness(1.5, 1.0, 0.01)});
  EXPECT_EQ(outcome.reason, Reason::kNoSteadyState);
  EXPECT_THAT(outcome.detail, HasSubstr("1.500"));
  EXPECT_THAT(outcome.detail, HasSubstr("1.000"));
}

TEST(Judge, RejectsWhatMayNotHaveSettled) {
  const Outcome outcome = judged(estimate_of(1, 0.001), {0, 0, steadiness(1.01, 1.0, 0.04)});
  EXPECT_EQ(outcome.reason, Reason::kUnstable);
  EXPECT_THAT(outcome.detail, HasSubstr("a difference of 0.010 +- 0.040 cycles"));
}

TEST(Judge, DoubtAboutTheSteadyStateIsAReasonToRaiseAndNoProofAgainstTheBlock) {
  const Steadiness doubtful = steadiness(1.013, 1, 0.001);
  const Outcome raised = judged(estimate_of(1, 0.001), {0, 0, doubtful, true});
  EXPECT_EQ(raised.reason, Reason::kNoSteadyState);
  const Outcome last = judged(estimate_of(1, 0.001), {0, 0, doubtful, false});
  EXPECT_EQ(last.reason, Reason::kUnstable);
  EXPECT_THAT(last.detail, HasSubstr("1.013 cycles a copy at first"));
}

TEST(Judge, NamesTheFirstReasonOfSeveral) {
  const Steadiness unsteady = steadiness(2, 1);
  const Estimate wide_and_low = estimate_of(0.5, 0.4);
  EXPECT_EQ(judged(wide_and_low, {0.5, 1, unsteady}).reason, Reason::kInterference);
  EXPECT_EQ(judged(wide_and_low, {0, 1, unsteady}).reason, Reason::kBelowLimit);
  EXPECT_EQ(judged(wide_and_low, {0, 0, unsteady}).reason, Reason::kNoSteadyState);
  EXPECT_EQ(judged(wide_and_low, {0, 0, steadiness(1, 1)}).reason, Reason::kUnstable);
}

TEST(EvidenceOf, IsThereForAValueAndForWhatIsUnsure) {
  Evaluation evaluation = {estimate_of(2, 0.1), {100, 0}, steadiness(1.9, 2.1, 0.05), {}};
  for (const Reason reason : {Reason::kNone, Reason::kUnstable}) {
    const auto evidence = evidence_of(evaluation, {reason, ""}, 0.5);
    ASSERT_TRUE(evidence);
    EXPECT_EQ(evidence->estimate, evaluation.estimate);
    EXPECT_NEAR(evidence->difference.cycles, 0.2, 1e-12);
    EXPECT_EQ(evidence->difference.half_width, 0.05);
    EXPECT_EQ(evidence->floor, 0.5);
    EXPECT_EQ(evidence->states, 1);
  }
  evaluation.has_states = true;
  EXPECT_EQ(evidence_of(evaluation, {Reason::kUnstable, ""}, 0)->states, 2);
  for (const Reason reason :
       {Reason::kInterference, Reason::kNoSteadyState, Reason::kBelowLimit, Reason::kSplitPage}) {
    EXPECT_FALSE(evidence_of(evaluation, {reason, ""}, 0)) << name(reason);
  }
  evaluation.steadiness.reset();
  EXPECT_FALSE(evidence_of(evaluation, {Reason::kNone, ""}, 0)) << "the protocol does not look";
}

}  // namespace
}  // namespace assay

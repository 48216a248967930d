#include "profiler/support/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include <boost/math/distributions/normal.hpp>
#include <vector>

namespace assay {
namespace {

using testing::DoubleNear;

TEST(Median, IsTheMiddleOneWhateverTheOrder) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({7}), 7);
}

TEST(Median, OfAnEvenNumberIsTheMeanOfTheTwoInTheMiddle) {
  EXPECT_EQ(median({4, 1, 3, 100}), 3.5);
  std::vector<double> values = {4, 1, 3, 100};
  EXPECT_EQ(median_in_place(values), 3.5);
  EXPECT_THAT(values, testing::UnorderedElementsAre(1, 3, 4, 100));
}

TEST(MeanAndVariance, DivideByTheirNumberAndByOneLess) {
  const std::vector<double> values = {100, 102, 104, 106};
  EXPECT_EQ(mean(values), 103);
  EXPECT_EQ(mean_and_variance(values).mean, 103);
  EXPECT_THAT(mean_and_variance(values).variance, DoubleNear(20.0 / 3, 1e-9));
}

TEST(MeanInterval, IsStudents) {
  const std::vector<double> values = {1, 2, 3};
  const MeanInterval interval = mean_interval(values);
  EXPECT_EQ(interval.mean, 2);
  // Student's t for two degrees of freedom, times the root of a third.
  EXPECT_THAT(interval.half_width, DoubleNear(4.302653 * 0.577350, 1e-5));
}

TEST(StratifiedInterval, GoesByTheScatterWithinIfThereIsAny) {
  const std::vector<std::vector<double>> strata = {{1, 3}, {11, 13}};
  const MeanInterval found = stratified_interval(strata);
  EXPECT_DOUBLE_EQ(found.mean, 7);
  // The pooled variance is 2; each stratum's mean has half of it, the mean of both a quarter.
  EXPECT_DOUBLE_EQ(found.half_width, student_quantile(2) * std::sqrt(2.0 / 4));
}

TEST(StratifiedInterval, GoesByTheStrataIfOneHasASingleValue) {
  const std::vector<std::vector<double>> strata = {{1, 3}, {4}, {9}};
  const MeanInterval found = stratified_interval(strata);
  const MeanInterval of_means = mean_interval(std::vector<double>{2, 4, 9});
  EXPECT_DOUBLE_EQ(found.mean, of_means.mean);
  EXPECT_DOUBLE_EQ(found.half_width, of_means.half_width);
}

TEST(StratifiedInterval, CountsWhatIsKnownByItsDegreesOfFreedom) {
  const std::vector<std::vector<double>> strata = {{1, 3}, {10, 12}};  // a variance of 2
  const MeanInterval found = stratified_interval(strata, {.variance = 1, .freedom = 8});
  EXPECT_DOUBLE_EQ(found.mean, 6.5);
  EXPECT_DOUBLE_EQ(found.half_width,
                   student_quantile(2 + 8) * std::sqrt((8 * 1.0 + 2 * 2.0) / 10 / 4));
}

TEST(StratifiedInterval, KnowsMoreThanAFewSingleValuesShow) {
  const std::vector<std::vector<double>> strata = {{5}, {5}, {5}};
  const MeanInterval found = stratified_interval(strata, {.variance = 3, .freedom = 8});
  EXPECT_DOUBLE_EQ(found.half_width, student_quantile(2 + 8) * std::sqrt(8 * 3.0 / 10 / 3))
      << "that they are alike is chance";
}

TEST(StratifiedInterval, BelievesTheScatterIfItIsMuchMoreThanWasKnown) {
  const std::vector<std::vector<double>> strata = {{1}, {3}, {8}};
  const MeanInterval alone = stratified_interval(strata);
  const double variance = 13;
  const double most = fisher_quantile(0.95, 2, 8);
  const MeanInterval allowed = stratified_interval(strata, {1.01 * variance / most, 8});
  EXPECT_LT(allowed.half_width, alone.half_width);
  const MeanInterval beyond = stratified_interval(strata, {0.99 * variance / most, 8});
  EXPECT_DOUBLE_EQ(beyond.half_width, alone.half_width);
}

TEST(DensestHalf, IsWhereMostValuesLie) {
  const DensestHalf half = densest_half({5, 1.1, 9, 1.0, 1.2, 7, 1.3});
  EXPECT_DOUBLE_EQ(half.center, 1.15);
  EXPECT_NEAR(half.deviation, 0.3 / 1.349, 1e-3);
  EXPECT_DOUBLE_EQ(densest_half({4}).center, 4);
}

TEST(MeanOfIntervals, OfOneValueIsItsOwn) {
  const MeanInterval found = mean_of_intervals(std::vector<MeanInterval>{{3, 0.5}});
  EXPECT_DOUBLE_EQ(found.mean, 3);
  EXPECT_DOUBLE_EQ(found.half_width, 0.5);
}

TEST(MeanOfIntervals, AllWeighTheSameAndChanceDoesNotWiden) {
  const MeanInterval alike = mean_of_intervals(std::vector<MeanInterval>{{3, 0.3}, {3, 0.4}});
  EXPECT_DOUBLE_EQ(alike.mean, 3);
  EXPECT_DOUBLE_EQ(alike.half_width, 0.25);
  const MeanInterval near = mean_of_intervals(std::vector<MeanInterval>{{3, 0.3}, {3.3, 0.4}});
  EXPECT_DOUBLE_EQ(near.mean, 3.15);
  EXPECT_DOUBLE_EQ(near.half_width, 0.25);
  const MeanInterval apart = mean_of_intervals(std::vector<MeanInterval>{{3, 0.1}, {4, 0.1}});
  EXPECT_DOUBLE_EQ(apart.mean, 3.5);
  EXPECT_DOUBLE_EQ(apart.half_width, student_quantile(1) * 0.5) << "more than chance allows";
}

TEST(MeanOfIntervals, WithoutWidthsScatterIsAll) {
  const MeanInterval found = mean_of_intervals(std::vector<MeanInterval>{{3, 0}, {3, 0}, {3, 0}});
  EXPECT_DOUBLE_EQ(found.mean, 3);
  EXPECT_DOUBLE_EQ(found.half_width, 0);
}

TEST(Closeness, IsTheProbabilityThatChanceBringsValuesAsClose) {
  EXPECT_EQ(closeness(std::vector<MeanInterval>{{3, 1}, {3, 1}, {3, 1}}), 0);
  // One standard error to either side: a chi-squared of 2 with two degrees of freedom.
  const double error = 1 / kNormalQuantile;
  EXPECT_NEAR(closeness(std::vector<MeanInterval>{{3 - error, 1}, {3, 1}, {3 + error, 1}}),
              1 - std::exp(-1.0), 1e-12);
  EXPECT_GT(closeness(std::vector<MeanInterval>{{3, 0.1}, {4, 0.1}}), 0.999);
  EXPECT_EQ(closeness(std::vector<MeanInterval>{{3, 0}, {3, 0}}), 1) << "nothing is known";
}

TEST(BestCut, DividesTwoClusters) {
  const TwoGroups found = best_cut({5.1, 1.0, 1.1, 5.0, 1.2});
  EXPECT_EQ(found.cut, 5.0);
  EXPECT_NEAR(found.left, (0.02 + 0.005) / (0.025 + 6.0 / 5 * 3.95 * 3.95), 1e-12);
  EXPECT_EQ(best_cut({2, 2, 2}).left, 1) << "there is nothing to divide";
  EXPECT_EQ(best_cut({2}).left, 1);
}

TEST(BestCut, LeavesMoreOfOtherDistributions) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> even;
  std::vector<double> of_normal;
  std::vector<double> of_even;
  for (int i = 0; i < 20'000; ++i) {
    of_normal.push_back(normal(random));
    of_even.push_back(even(random));
  }
  EXPECT_NEAR(best_cut(of_normal).left, 1 - 2 / std::numbers::pi, 0.01);
  EXPECT_NEAR(best_cut(of_even).left, 0.25, 0.01);
}

TEST(StudentQuantile, IsThatOfTheTables) {
  EXPECT_THAT(student_quantile(1), DoubleNear(12.706, 0.0005));
  EXPECT_THAT(student_quantile(5), DoubleNear(2.571, 0.0005));
  EXPECT_THAT(student_quantile(30), DoubleNear(2.042, 0.0005));
  EXPECT_THAT(student_quantile(1000), DoubleNear(1.962, 0.0005));
  EXPECT_EQ(student_quantile(5), student_quantile(5)) << "computed and kept";
}

TEST(NormalQuantile, IsBoosts) {
  const boost::math::normal normal;
  EXPECT_THAT(kNormalQuantile, DoubleNear(boost::math::quantile(normal, 0.975), 1e-6));
  EXPECT_THAT(kNormalQuantile999, DoubleNear(boost::math::quantile(normal, 0.9995), 1e-6));
  EXPECT_THAT(kDeviationOfNormal, DoubleNear(1 / boost::math::quantile(normal, 0.75), 1e-4));
}

TEST(FisherQuantile, IsThatOfTheTables) {
  EXPECT_THAT(fisher_quantile(0.95, 3, 8), DoubleNear(4.066, 0.0005));
  EXPECT_THAT(fisher_quantile(0.95, 8, 3), DoubleNear(8.845, 0.0005));
  EXPECT_THAT(fisher_quantile(0.5, 5, 5), DoubleNear(1, 1e-9));
}

}  // namespace
}  // namespace assay

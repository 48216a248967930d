#include "profiler/sampling/series_scatter.h"

#include <gtest/gtest.h>

#include <limits>

namespace assay {
namespace {

constexpr std::size_t kThree = 3;  // degrees of freedom

void learn(SeriesScatter& scatter, int blocks, double ratio) {
  for (int i = 0; i < blocks; ++i) scatter.learn(ratio * 4, kThree, 4);
}

TEST(SeriesScatter, KnowsNothingAfterFewBlocks) {
  SeriesScatter scatter;
  learn(scatter, 15, 2);
  EXPECT_EQ(scatter.prior(1).freedom, 0);
  EXPECT_EQ(scatter.freedom(), 0);
  learn(scatter, 1, 2);
  EXPECT_EQ(scatter.prior(1).freedom, SeriesScatter::kFreedom);
  EXPECT_EQ(scatter.freedom(), SeriesScatter::kFreedom);
}

TEST(SeriesScatter, IsTheUsualOneInTermsOfWhatReadingsLetExpect) {
  SeriesScatter scatter;
  learn(scatter, 20, 2);
  learn(scatter, 15, 100);  // blocks whose alignments differ, for example
  const double usual = 2 / fisher_quantile(0.5, kThree, SeriesScatter::kFreedom);
  EXPECT_DOUBLE_EQ(scatter.prior(1).variance, usual);
  EXPECT_DOUBLE_EQ(scatter.prior(0.25).variance, usual / 4);
}

TEST(SeriesScatter, ForgetsOldBlocks) {
  SeriesScatter scatter;
  learn(scatter, 1000, 1);
  const double before = scatter.prior(1).variance;
  learn(scatter, 100, 3);
  EXPECT_DOUBLE_EQ(scatter.prior(1).variance, 3 * before);
}

TEST(SeriesScatter, ExpectsNoneWhereThereNeverIsAny) {
  SeriesScatter scatter;
  learn(scatter, 16, 0);
  EXPECT_EQ(scatter.prior(1).variance, 0);
  EXPECT_EQ(scatter.prior(1).freedom, SeriesScatter::kFreedom);
}

TEST(SeriesScatter, LearnsNothingWithoutAnExpectation) {
  SeriesScatter scatter;
  for (int i = 0; i < 100; ++i) {
    scatter.learn(1, kThree, 0);
    scatter.learn(std::numeric_limits<double>::quiet_NaN(), kThree, 1);
  }
  EXPECT_EQ(scatter.prior(1).freedom, 0);
}

}  // namespace
}  // namespace assay

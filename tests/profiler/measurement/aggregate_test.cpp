#include "profiler/measurement/aggregate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::ElementsAre;

TEST(AggregateTest, NamesLeadBack) {
  for (const std::string_view text : aggregate_names()) {
    EXPECT_EQ(name(named<Aggregate>(text).value()), text);
  }
  EXPECT_EQ(named<Aggregate>("avg"), Aggregate::kMean);
  EXPECT_FALSE(named<Aggregate>("mean"));
  EXPECT_FALSE(named<Aggregate>(""));
}

TEST(AggregateTest, TrimsBothEndsInOrder) {
  EXPECT_THAT(trimmed({5, 1, 4, 2, 3}, 0.2), ElementsAre(2, 3, 4));
  EXPECT_THAT(trimmed({5, 1, 4, 2, 3}, 0), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(trimmed({4, 1, 2, 3}, 0.2), ElementsAre(1, 2, 3, 4));  // a fifth of four is below one
  EXPECT_THAT(trimmed({7}, 0.49), ElementsAre(7));
}

TEST(AggregateTest, MakesOneOfMany) {
  EXPECT_EQ(aggregated(Aggregate::kMinimum, {3, 1, 8}), 1);
  EXPECT_EQ(aggregated(Aggregate::kMedian, {3, 1, 8}), 3);
  EXPECT_EQ(aggregated(Aggregate::kMedian, {3, 1, 8, 5}), 4);
  EXPECT_EQ(aggregated(Aggregate::kMean, {3, 1, 8}), 4);
  for (const Aggregate aggregate : {Aggregate::kMinimum, Aggregate::kMedian, Aggregate::kMean}) {
    EXPECT_EQ(aggregated(aggregate, {6}), 6);
  }
}

}  // namespace
}  // namespace assay

#include "profiler/counters/event_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::ElementsAre;

TEST(EventText, SplitKeepsEmptyParts) {
  EXPECT_THAT(split("a,,b,", ','), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(split("", ','), ElementsAre(""));
}

TEST(EventText, ListsSayHowManyMoreThereAre) {
  EXPECT_EQ(listed({"a", "b", "c"}, 3), "a, b, c");
  EXPECT_EQ(listed({"a", "b", "c"}, 2), "a, b and 1 more");
  EXPECT_EQ(listed({}, 2), "");
}

}  // namespace
}  // namespace assay

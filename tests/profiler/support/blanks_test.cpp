#include "profiler/support/blanks.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Blanks, AreTakenFromBothEnds) {
  EXPECT_EQ(trimmed(" \t\r a b\r\t "), "a b");
  EXPECT_EQ(trimmed(" \r"), "");
  EXPECT_EQ(trimmed(""), "");
}

}  // namespace
}  // namespace assay

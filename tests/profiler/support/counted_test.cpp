#include "profiler/support/counted.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(CountedTest, OneIsSingularAndNoneIsNot) {
  EXPECT_EQ(counted(0, "block"), "0 blocks");
  EXPECT_EQ(counted(1U, "block"), "1 block");
  EXPECT_EQ(counted(2, "distinct block"), "2 distinct blocks");
  EXPECT_EQ(counted(1, "copy", "copies"), "1 copy");
  EXPECT_EQ(counted(3L, "copy", "copies"), "3 copies");
}

}  // namespace
}  // namespace assay

#include "profiler/support/error.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace assay {
namespace {

TEST(DescribeErrno, SaysItInWordsAndByName) {
  EXPECT_EQ(describe_errno("opening /dev/cpu", ENOENT),
            "opening /dev/cpu: No such file or directory (ENOENT)");
}

TEST(DescribeErrno, NumbersThatNobodyKnowsStayNumbers) {
  EXPECT_EQ(describe_errno("waiting", 98765), "waiting: unknown error 98765");
}

}  // namespace
}  // namespace assay

#include "profiler/counting/self_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "profiler/machine/processor.h"

namespace assay {
namespace {

using testing::HasSubstr;

const SelfTestCounts kRight = {2048, 2048, 0, 1.0004, 0.002, 2048, 3 * 2048, 2048};

std::string wrong_in(SelfTestCounts counts) { return find_wrong_count(counts).value_or(""); }

TEST(SelfTest, AcceptsCountsThatAreAsTheyMustBe) { EXPECT_EQ(wrong_in(kRight), ""); }

TEST(SelfTest, FindsEachCountThatIsWrong) {
  for (double SelfTestCounts::*count :
       {&SelfTestCounts::chain_instructions, &SelfTestCounts::chain_branches,
        &SelfTestCounts::loop_instructions, &SelfTestCounts::loop_branches}) {
    for (const double error : {-1.0, 1.0}) {
      SelfTestCounts counts = kRight;
      counts.*count += error;
      EXPECT_NE(wrong_in(counts), "");
    }
  }
}

TEST(SelfTest, SaysWhatWasCountedAndWhatRan) {
  SelfTestCounts counts = kRight;
  counts.loop_branches = 1024;
  EXPECT_THAT(wrong_in(counts), HasSubstr("of 2048 branches that ran it counted 1024"));
}

TEST(SelfTest, CyclesMustBeThoseOfTheChainAndSteady) {
  for (const double cycles : {0.98, 1.02, std::nan("")}) {
    SelfTestCounts counts = kRight;
    counts.cycles = cycles;
    EXPECT_THAT(wrong_in(counts), HasSubstr("one core cycle"));
  }
  for (const double half_width : {0.02, std::nan("")}) {
    SelfTestCounts counts = kRight;
    counts.cycles_half_width = half_width;
    EXPECT_THAT(wrong_in(counts), HasSubstr("one core cycle"));
  }
}

}  // namespace
}  // namespace assay

#include "harness/output/progress.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

CampaignProgress some_progress() {
  CampaignProgress progress;
  progress.lines = 300;
  progress.total_lines = 1200;
  progress.fresh = 300;
  progress.measured = 280;
  progress.rejected = 15;
  progress.failed = 5;
  progress.workers = 1;
  progress.elapsed = std::chrono::seconds(30);
  return progress;
}

TEST(ProgressText, HasRateTimeLeftAndVerdicts) {
  EXPECT_EQ(progress_text(some_progress()),
            "300 of 1200 lines  10 blocks/s  1:30 left  measured 280  rejected 15  failed 5");
}

TEST(ProgressText, WithoutATotalThereIsNoTimeLeft) {
  CampaignProgress progress = some_progress();
  progress.total_lines.reset();
  EXPECT_EQ(progress_text(progress), "300 lines  10 blocks/s  measured 280  rejected 15  failed 5");
}

TEST(ProgressText, HoursAndKnownBlocks) {
  CampaignProgress progress = some_progress();
  progress.elapsed = std::chrono::seconds(4000);
  progress.known = 7;
  EXPECT_EQ(progress_text(progress),
            "300 of 1200 lines  0 blocks/s  3:20:00 left  measured 280  rejected 15  failed 5  "
            "known 7");
}

TEST(ProgressText, SaysThatABlockWaitsInPlaceOfThePace) {
  CampaignProgress progress = some_progress();
  progress.waiting = std::chrono::milliseconds(1234);
  EXPECT_EQ(
      progress_text(progress),
      "300 of 1200 lines  waiting for a quiet core, 1.2 s  measured 280  rejected 15  failed 5");
  progress.waiting = std::chrono::milliseconds(99);
  EXPECT_EQ(progress_text(progress), progress_text(some_progress()));
}

TEST(ProgressText, SaysWhatIsNotSettledAndHowLongItWaits) {
  CampaignProgress progress = some_progress();
  progress.unsettled = 4;
  EXPECT_EQ(progress_text(progress),
            "300 of 1200 lines  10 blocks/s  1:30 left  measured 280  rejected 15  failed 5  "
            "not settled 4");
  progress.without_gain = std::chrono::milliseconds(12'300);
  progress.patience = std::chrono::seconds(30);
  EXPECT_EQ(progress_text(progress),
            "300 of 1200 lines  4 not settled, without gain for 12 s of 30  measured 280  "
            "rejected 15  failed 5");
}

TEST(ProgressText, SaysHowManyWorkersThereAre) {
  CampaignProgress progress = some_progress();
  progress.workers = 4;
  EXPECT_EQ(progress_text(progress),
            "300 of 1200 lines  10 blocks/s by 4 workers  1:30 left  measured 280  rejected 15  "
            "failed 5");
  progress.waiting = std::chrono::seconds(1);
  EXPECT_EQ(
      progress_text(progress),
      "300 of 1200 lines  waiting for quiet cores, 1.0 s  measured 280  rejected 15  failed 5");
}

TEST(ProgressText, SaysWhenBlocksAreMeasuredAgain) {
  CampaignProgress progress = some_progress();
  progress.rechecking = std::chrono::seconds(1);
  progress.rechecked = 7;
  EXPECT_EQ(progress_text(progress),
            "300 of 1200 lines  rechecked 7  measured 280  rejected 15  failed 5");
}

TEST(ProgressText, StartsWithoutDividingByNothing) {
  CampaignProgress progress;
  progress.total_lines = 5;
  EXPECT_EQ(progress_text(progress), "0 of 5 lines  measured 0  rejected 0  failed 0");
}

}  // namespace
}  // namespace assay

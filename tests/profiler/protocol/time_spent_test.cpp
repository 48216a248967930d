#include "profiler/protocol/time_spent.h"

#include <gtest/gtest.h>

#include <thread>

namespace assay {
namespace {

using std::chrono::milliseconds;

TEST(TimeLedger, CountsEachActivityWithoutThoseWithinIt) {
  TimeLedger ledger;
  const auto of = [&](Activity activity) {
    return ledger.spent({}, 1e9).in.at(static_cast<std::size_t>(activity));
  };
  {
    const TimeLedger::Entry judging(ledger, Activity::kJudge);
    EXPECT_EQ(of(Activity::kJudge).count(), 0);
    {
      const TimeLedger::Entry sampling(ledger, Activity::kSample);
      std::this_thread::sleep_for(milliseconds(20));
    }
    EXPECT_GE(of(Activity::kSample), milliseconds(20));
    EXPECT_LT(of(Activity::kJudge), of(Activity::kSample));
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_GE(of(Activity::kJudge), milliseconds(1));
  EXPECT_EQ(of(Activity::kEmit).count(), 0);
}

TEST(TimeLedger, CountsBlocksAndWhatTheSubjectDidForThem) {
  TimeLedger ledger;
  ledger.leave_out({.series = Ticks(1'000), .stops = 5});
  ledger.begin_block();
  ledger.begin_block();
  const TimeSpent spent = ledger.spent({.series = Ticks(5'000), .stops = 8}, 2e9);
  EXPECT_EQ(spent.blocks, 2);
  EXPECT_EQ(spent.series, std::chrono::microseconds(2));
  EXPECT_EQ(spent.stops, 3);
}

TEST(TimeSpent, TotalIsTheSumOfAllActivities) {
  TimeSpent spent;
  for (std::size_t i = 0; i < kActivities; ++i) spent.in[i] = milliseconds(1 << i);
  EXPECT_EQ(spent.total(), milliseconds((1 << kActivities) - 1));
}

}  // namespace
}  // namespace assay

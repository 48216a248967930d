#include "harness/campaign/visit_queue.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

OpenBlock open_block(std::uint8_t number, int visits) {
  OpenBlock open{{{number}, ""}, Notion::kUnrolled, Visits()};
  Measurement disturbed;
  disturbed.outcome.reason = Reason::kInterference;
  disturbed.settled = false;
  for (int i = 0; i < visits; ++i) open.visits.add(disturbed);
  return open;
}

TEST(VisitQueue, GivesBlocksWhenTheirPausesAreOver) {
  const VisitQueue::TimePoint now{};
  VisitQueue queue;
  EXPECT_TRUE(queue.empty());
  EXPECT_FALSE(queue.next_due());
  queue.add(open_block(1, 3), now);
  queue.add(open_block(2, 1), now);
  EXPECT_EQ(queue.size(), 2U);
  EXPECT_EQ(queue.next_due(), now + Visits::kShortestPause);
  EXPECT_FALSE(queue.take_due(now));
  const auto first = queue.take_due(now + Visits::kShortestPause);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->block.bytes, Bytes{2}) << "it was visited less often";
  EXPECT_EQ(first->visits.count(), 1);
  EXPECT_FALSE(queue.take_due(now + Visits::kShortestPause));
  EXPECT_TRUE(queue.take_due(now + std::chrono::seconds(10)));
  EXPECT_TRUE(queue.empty());
}

TEST(VisitQueue, AFirstVisitIsDueAtOnce) {
  const VisitQueue::TimePoint now{};
  VisitQueue queue;
  queue.add(open_block(1, 0), now);
  EXPECT_TRUE(queue.take_due(now));
}

}  // namespace
}  // namespace assay

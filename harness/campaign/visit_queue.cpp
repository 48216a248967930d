#include "harness/campaign/visit_queue.h"

#include <utility>

namespace assay {

void VisitQueue::add(OpenBlock open, TimePoint now) {
  const TimePoint due = open.visits.count() > 0 ? now + open.visits.pause() : now;
  blocks_.emplace(due, std::move(open));
}

std::optional<OpenBlock> VisitQueue::take_due(TimePoint now) {
  if (blocks_.empty() || blocks_.begin()->first > now) return std::nullopt;
  OpenBlock open = std::move(blocks_.begin()->second);
  blocks_.erase(blocks_.begin());
  return open;
}

std::optional<VisitQueue::TimePoint> VisitQueue::next_due() const {
  if (blocks_.empty()) return std::nullopt;
  return blocks_.begin()->first;
}

}  // namespace assay

#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>

#include "profiler/block/block_spec.h"
#include "profiler/protocol/visits.h"

namespace assay {

/// A block that is not settled under a notion, with what its visits so far came to.
struct OpenBlock {
  BlockSpec block;
  Notion notion = Notion::kUnrolled;
  Visits visits;
};

/// The blocks that wait for their next visit, by when that is due.
class VisitQueue {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// Adds a block whose latest visit ended now, or that is yet to get its first one: that is due at
  /// once.
  void add(OpenBlock open, TimePoint now);
  /// Takes the block whose visit was due first; nothing if none is due.
  std::optional<OpenBlock> take_due(TimePoint now);
  /// When the next visit is due; nothing if no block waits.
  std::optional<TimePoint> next_due() const;
  bool empty() const { return blocks_.empty(); }
  std::size_t size() const { return blocks_.size(); }
  void clear() { blocks_.clear(); }

 private:
  std::multimap<TimePoint, OpenBlock> blocks_;
};

}  // namespace assay

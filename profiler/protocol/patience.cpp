#include "profiler/protocol/patience.h"

#include <algorithm>

namespace assay {

std::chrono::nanoseconds Patience::left() const {
  // For the blocks that follow one that waited in vain.
  constexpr std::chrono::nanoseconds kShort = std::chrono::milliseconds(20);
  return std::max((patient_ ? whole_ : kShort) - waited_, std::chrono::nanoseconds(0));
}

void Patience::note(const SamplingResult& result, std::span<const SeriesPoint> points) {
  waited_ += result.waited;
  bool any_taken = false;
  for (const SeriesPoint& point : points) {
    if (point.alignment > 0) continue;  // a series has one point for each alignment: count it once
    const bool taken = point.fate == SeriesFate::kTaken;
    ++series_;
    if (!taken) ++disturbed_series_;
    any_taken |= taken;
  }
  if (result.end == SamplingEnd::kPatience) {
    new_subject_ = patient_;
    patient_ = false;
  } else if (any_taken) {
    patient_ = true;
  }
}

}  // namespace assay

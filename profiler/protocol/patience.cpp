#include "profiler/protocol/patience.h"

namespace assay {

void Patience::note(const SamplingResult& result, std::span<const SeriesPoint> points) {
  waited_ += result.waited;
  for (const SeriesPoint& point : points) {
    if (point.alignment > 0) continue;  // a series has one point for each alignment: count it once
    const bool taken = point.fate == SeriesFate::kTaken;
    ++series_;
    if (!taken) ++disturbed_series_;
  }
  if (result.end == SamplingEnd::kPatience) new_subject_ = true;
}

}  // namespace assay

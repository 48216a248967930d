#include "profiler/protocol/patience.h"

#include "profiler/sampling/series_plan.h"

namespace assay {

void Patience::note(const SamplingResult& result, std::span<const SeriesPoint> points) {
  waited_ += result.waited;
  for (const SeriesPoint& point : points) {
    // A series has one point for each of its alignments: count it once.
    if (point.alignment % kAlignmentsInSeries > 0) continue;
    const bool taken = point.fate == SeriesFate::kTaken;
    ++series_;
    if (!taken) ++disturbed_series_;
  }
  if (result.end == SamplingEnd::kPatience) new_subject_ = true;
}

}  // namespace assay

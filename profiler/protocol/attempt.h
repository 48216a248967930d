#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiler/measurement/measurement.h"
#include "profiler/protocol/preparation.h"
#include "profiler/sampling/sampling.h"

namespace assay {

/// One try of a block under one initial state and one plan, for those who want to know how a
/// verdict came about.
struct Attempt {
  Preparation prepared;
  TraceFindings findings;
  std::vector<SeriesPoint> series;
  int stamps = 1;  ///< of which readings are made (per_tick())
  std::optional<Evaluation> evaluation;
  double floor = 0;             ///< cycles that a copy takes at least; 0 if not known
  std::string events_left_out;  ///< why some passes of events were not counted; empty if none
  Measurement measurement;      ///< what it came to
};

}  // namespace assay

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiler/measurement/measurement.h"
#include "profiler/protocol/preparation.h"
#include "profiler/sampling/sampling.h"

namespace assay {

/// One try of a block under one initial state and one plan, kept to show how a verdict came about.
struct Attempt {
  Preparation prepared;
  TraceFindings findings;
  std::vector<SeriesPoint> series;
  int stamps = 1;  ///< how many time stamps each reading is the sum of (per_tick())
  std::optional<Evaluation> evaluation;
  double floor = 0;             ///< the least cycles that a copy takes; 0 if not known
  bool counted_events = false;  ///< whether it came to counting events beside the clock
  std::string events_left_out;  ///< why some passes of events were not counted; else empty
  Measurement measurement;      ///< the result of this try
};

}  // namespace assay

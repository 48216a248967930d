#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "profiler/protocol/profiler.h"
#include "profiler/protocol/visits.h"

namespace assay {

/// How a block is visited until it is settled.
struct SettleRequest {
  /// No visit begins later than this after the first one.
  std::chrono::nanoseconds patience = std::chrono::seconds(30);
  Stage last = Stage::kJudge;  ///< the last stage to be done; there is one visit if it is another
  /// Filled with what was tried in all visits, in order, unless it is null.
  std::vector<Attempt>* attempts = nullptr;
  /// Called before each pause between two visits.
  std::function<void(const Visits&)> on_pause = [](const Visits&) {};
};

/// Visits a block until it is settled or the patience ends, and returns what the visits came to.
/// Sleeps between visits. Throws what Profiler::measure() throws.
Measurement settle(Profiler& profiler, const BlockSpec& spec, Notion notion,
                   const SettleRequest& request = {});

}  // namespace assay

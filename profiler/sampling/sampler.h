#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "profiler/sampling/sampling.h"
#include "profiler/subject/fault.h"

namespace assay {

/// Where series come from, what time it is, and who is told about waiting.
struct SamplingEnvironment {
  std::function<SampledSeries()> source;
  std::function<std::chrono::steady_clock::time_point()> now;
  /// Called after each disturbed series with how long the block has waited for an undisturbed core.
  std::function<void(std::chrono::nanoseconds)> waiting;
};

/// How sampling ended.
struct SamplingResult {
  SamplingEnd end = SamplingEnd::kPatience;
  std::chrono::nanoseconds waited{};    ///< time spent waiting for an undisturbed core
  std::optional<subject::Fault> fault;  ///< the fault, if sampling ended in one
};

/// Gives series to the sampling until it has an end. The time of disturbed series, and of those
/// that are discarded by a fresh start, counts against `patience`; that of the others counts as
/// spent.
SamplingResult sample(Sampling& sampling, const SamplingEnvironment& environment,
                      std::chrono::nanoseconds patience);

}  // namespace assay

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "profiler/sampling/sampling.h"
#include "profiler/subject/fault.h"

namespace assay {

/// One series as a source gives it.
struct SampledSeries {
  std::optional<subject::Fault> fault;      ///< there are no readings then
  std::span<const std::uint32_t> readings;  ///< none if the core was lost and they with it
  bool preempted = false;                   ///< the subject lost the core meanwhile
};

/// Where series come from, and what time it is.
struct SamplingEnvironment {
  std::function<SampledSeries()> source;
  std::function<std::chrono::steady_clock::time_point()> now;
  /// Told after each disturbed series how long the block has waited for an undisturbed core.
  std::function<void(std::chrono::nanoseconds)> waiting;
};

/// How sampling went.
struct SamplingResult {
  SamplingEnd end = SamplingEnd::kPatience;
  std::chrono::nanoseconds waited{};    ///< for an undisturbed core
  std::optional<subject::Fault> fault;  ///< if it ended so
};

/// Gives series to the sampling until that has an end. Disturbed series, and what is started over,
/// count against `patience`; the others count as spent.
SamplingResult sample(Sampling& sampling, const SamplingEnvironment& environment,
                      std::chrono::nanoseconds patience);

}  // namespace assay

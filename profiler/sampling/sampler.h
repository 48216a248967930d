#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "profiler/measurement/settings.h"
#include "profiler/sampling/estimate.h"
#include "profiler/sampling/series_plan.h"
#include "profiler/subject/fault.h"

namespace assay {

/// One series as a source gives it.
struct SampledSeries {
  std::optional<subject::Fault> fault;      ///< there are no readings then
  std::span<const std::uint32_t> readings;  ///< none if the core was lost and they with it
  bool preempted = false;                   ///< the subject lost the core meanwhile
};

/// Why sampling ended.
enum class SamplingEnd {
  kEnough,    ///< the interval is as narrow as asked for
  kUnsteady,  ///< the last copies surely take another time than those before
  kBudget,    ///< the time for a block is used up
  kHopeless,  ///< it would be before the interval is narrow enough to be accepted
  kPatience,  ///< so is the time to wait for an undisturbed core
  kFault,     ///< the block faulted
};

/// Runs series until an estimate is good enough.
class Sampler {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Nanoseconds = std::chrono::nanoseconds;

  struct Environment {
    std::function<SampledSeries()> source;
    std::function<Time()> now;
    /// Told after each disturbed series how long the block has waited for an undisturbed core.
    std::function<void(Nanoseconds)> waiting;
  };
  Sampler(const Settings& settings, Environment environment)
      : settings_(settings), environment_(std::move(environment)) {}

  /// At least six undisturbed points, however long they take; then more until the interval is as
  /// narrow as the settings ask for and the canary as quick, or the copies are surely not steady,
  /// or the undisturbed series together took the budget, or surely would without the interval
  /// becoming narrow enough to be accepted. Disturbed series count against `patience`
  /// instead.
  SamplingEnd run(Estimator& estimator, Nanoseconds patience);

  /// How long it waited for an undisturbed core.
  Nanoseconds waited() const { return waited_; }

  /// The fault, if it ended so.
  const std::optional<subject::Fault>& fault() const { return fault_; }

 private:
  bool enough(const Estimator& estimator) const;
  bool surely_unsteady(const Estimator& estimator) const;
  bool hopeless(const Estimator& estimator, Nanoseconds spent) const;

  const Settings& settings_;
  Environment environment_;
  Nanoseconds waited_{};
  std::optional<subject::Fault> fault_;
};

/// The scatter between points needs a few of them to show.
inline constexpr int kFewestPoints = 6;

/// Whether the interval is at most this share of the value, or so many cycles, to both sides.
bool is_narrow(const Estimate& estimate, double relative, double cycles);

}  // namespace assay

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "profiler/sampling/sampler.h"
#include "profiler/sampling/series_point.h"

namespace assay {

/// How long the visits of a profiler wait for an undisturbed core.
class Patience {
 public:
  /// `whole` is how long a single visit may wait.
  explicit Patience(std::chrono::nanoseconds whole) : whole_(whole) {}

  void begin_visit() { waited_ = {}; }
  /// How long the present visit may still wait.
  std::chrono::nanoseconds left() const {
    return std::max(whole_ - waited_, std::chrono::nanoseconds(0));
  }
  /// Learns from how sampling ended; `points` are those of its series.
  void note(const SamplingResult& result, std::span<const SeriesPoint> points);
  /// Whether the subject should be replaced before the next block, because the process and not a
  /// neighbour may be what keeps the core slow: a process whose code lies badly in the caches stays
  /// slow. Returns true only once.
  bool take_new_subject() { return std::exchange(new_subject_, false); }

  /// Called now and then while a visit waits, with how long it has waited.
  std::function<void(std::chrono::nanoseconds)> on_waiting = [](std::chrono::nanoseconds) {};

  /// The number of series so far, and how many of them were disturbed.
  std::int64_t series() const { return series_; }
  std::int64_t disturbed_series() const { return disturbed_series_; }

 private:
  std::chrono::nanoseconds whole_;
  std::chrono::nanoseconds waited_{};  ///< how long the present visit has waited
  bool new_subject_ = false;
  std::int64_t series_ = 0;
  std::int64_t disturbed_series_ = 0;
};

}  // namespace assay

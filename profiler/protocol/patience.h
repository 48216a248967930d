#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "profiler/sampling/sampler.h"
#include "profiler/sampling/series_point.h"

namespace assay {

/// How long blocks wait for an undisturbed core: on one that stayed disturbed for as long as may be
/// waited, the blocks that follow are given up soon, until it is undisturbed again.
class Patience {
 public:
  /// `whole`: for one block.
  explicit Patience(std::chrono::nanoseconds whole) : whole_(whole) {}

  void begin_block() { waited_ = {}; }
  /// For the block at hand.
  std::chrono::nanoseconds left() const;
  /// Learns from how sampling went. `points`: its series.
  void note(const SamplingResult& result, std::span<const SeriesPoint> points);
  /// Whether the subject is to be replaced before the next block, since it may be the process and
  /// not a neighbour that keeps the core slow: one whose code lies badly in the caches stays so.
  /// Once only.
  bool take_new_subject() { return std::exchange(new_subject_, false); }

  /// Who is told now and then, while a block waits, how long it has.
  std::function<void(std::chrono::nanoseconds)> on_waiting = [](std::chrono::nanoseconds) {};

  /// Series so far, and those of them that were disturbed.
  std::int64_t series() const { return series_; }
  std::int64_t disturbed_series() const { return disturbed_series_; }

 private:
  std::chrono::nanoseconds whole_;
  std::chrono::nanoseconds waited_{};  ///< with the block at hand
  bool patient_ = true;
  bool new_subject_ = false;
  std::int64_t series_ = 0;
  std::int64_t disturbed_series_ = 0;
};

}  // namespace assay

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "profiler/measurement/measurement.h"

namespace assay {

/// Counts how far values of the same block are apart.
class AgreementTally {
 public:
  /// Compares each value with each other one.
  void add_pairs(const std::vector<Estimate>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) add(values[i], values[j]);
    }
  }

  std::int64_t pairs() const { return pairs_; }
  // Shares of all pairs, in per cent: those within 1 % or 0.01 cycles of each other, those no
  // farther apart than their half-widths explain together, and those more than 5 % apart.
  double within_1_percent() const { return percent(close_); }
  double within_intervals() const { return percent(explained_); }
  double off_by_5_percent() const { return percent(far_); }

 private:
  void add(const Estimate& one, const Estimate& other) {
    constexpr double kClose = 0.01;  // as a share, and in cycles
    constexpr double kFar = 0.05;
    const double distance = std::abs(one.cycles - other.cycles);
    const double smaller = std::min(one.cycles, other.cycles);
    ++pairs_;
    close_ += distance <= kClose * std::max(smaller, 1.0);
    explained_ += distance <= std::hypot(one.half_width, other.half_width);
    far_ += distance > kFar * smaller;
  }
  double percent(std::int64_t count) const {
    return pairs_ == 0 ? 0 : 100 * static_cast<double>(count) / static_cast<double>(pairs_);
  }

  std::int64_t pairs_ = 0;
  std::int64_t close_ = 0;
  std::int64_t explained_ = 0;
  std::int64_t far_ = 0;
};

}  // namespace assay

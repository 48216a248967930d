#include "profiler/sampling/canary.h"

#include <algorithm>
#include <cmath>

namespace assay {

Block canary_block() {
  // add REG, ebp for eax, ecx, edx, ebx, esi and edi: as many chains as the widest core has units,
  // and only two bytes per addition, so that fetching and decoding them is never the limit.
  return std::get<Block>(decode(bytes_from_hex("01e801e901ea01eb01ee01ef")));
}

Canary::Canary(std::optional<double> additions_per_cycle) {
  if (additions_per_cycle) known_ = 1 / *additions_per_cycle;
}

void Canary::learn(double cycles_per_addition) {
  // A series whose scatter left no meaningful rate tells nothing.
  if (!(cycles_per_addition > 0) || !std::isfinite(cycles_per_addition)) return;
  sum_ += cycles_per_addition;
  if (++summed_ < kSeriesInObservation) return;
  const double bin = sum_ / kSeriesInObservation / kBin;
  sum_ = 0;
  summed_ = 0;
  ++seen_[std::min(static_cast<std::size_t>(bin), kBins - 1)];
  ++count_;
  learn_peak();
}

double Canary::peak() const { return known_ ? *known_ : learned_; }

/// The peak is the mean of the observations up to 2 % above the one that the fastest tenth reached:
/// where nothing disturbs the core, that is about all of them, which scatter around the peak.
void Canary::learn_peak() {
  constexpr double kScatter = 0.02;
  const auto rate_of = [](std::size_t bin) { return (static_cast<double>(bin) + 0.5) * kBin; };
  std::uint64_t below = 0;
  double sum = 0;
  std::optional<double> fastest;
  for (std::size_t i = 0; i < kBins; ++i) {
    if (fastest && rate_of(i) > *fastest * (1 + kScatter)) break;
    below += seen_[i];
    sum += static_cast<double>(seen_[i]) * rate_of(i);
    if (!fastest && 10 * below > count_) fastest = rate_of(i);
  }
  learned_ = sum / static_cast<double>(below);
  scatter_ = learned_ / *fastest - 1;
}

}  // namespace assay

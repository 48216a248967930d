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
}

double Canary::peak() const {
  if (known_) return *known_;
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < kBins; ++i) {
    below += seen_[i];
    // The fastest tenth of the observations reached the rate of this bin.
    if (10 * below > count_) return (static_cast<double>(i) + 0.5) * kBin;
  }
  return kBins * kBin;
}

}  // namespace assay

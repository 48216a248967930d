#include "profiler/sampling/canary.h"

#include <cmath>
#include <utility>

#include "profiler/codegen/emitter.h"

namespace assay {

Block canary_block(int nop_bytes) {
  // Of two bytes, for example, they fill a micro-op cache's sets, which are chosen by address: the
  // canary would be fed by the decoders now and then, and push out the block's code (Zen 5: 0.125
  // cycles for a NOP of six bytes, 0.150 for one of two bytes, beside blocks of 6 KiB at two
  // alignments).
  const auto nop = recommended_nop(static_cast<std::size_t>(nop_bytes));
  Bytes copy;
  for (int i = 0; i < kCanaryNops; ++i) copy.insert(copy.end(), nop.begin(), nop.end());
  return std::get<Block>(decode(copy));
}

Canary::Canary(std::optional<double> nops_per_cycle, double leeway) {
  constexpr double kUnknown = kBins * kBin;
  peak_ = nops_per_cycle ? 1 / *nops_per_cycle : kUnknown;
  if (nops_per_cycle) {
    slowest_ = leeway > 0 ? (1 + leeway) * peak_ : 0;
  } else {
    slowest_ = kUnknown;
  }
}

void Canary::learn(double cycles_per_nop) {
  // A series whose scatter left no meaningful rate tells nothing.
  if (!(cycles_per_nop > 0) || !std::isfinite(cycles_per_nop)) return;
  sum_ += cycles_per_nop;
  if (++summed_ < kSeriesInObservation) return;
  const double rate = std::exchange(sum_, 0) / std::exchange(summed_, 0);
  if (rate >= slowest_) return;
  ++seen_[static_cast<std::size_t>(rate / kBin)];
  ++count_;
  learn_peak();
}

/// The peak is the mean of the observations up to 5 % from the one that the fastest tenth reached:
/// where nothing disturbs the core, that is about all of them, which scatter around the peak.
void Canary::learn_peak() {
  constexpr double kScatter = 0.05;
  const auto rate_of = [](std::size_t bin) { return (static_cast<double>(bin) + 0.5) * kBin; };
  std::uint64_t below = 0;
  std::size_t fastest = 0;
  while (10 * (below += seen_[fastest]) <= count_) ++fastest;
  std::uint64_t near = 0;
  double sum = 0;
  for (std::size_t i = 0; i < kBins; ++i) {
    if (std::abs(rate_of(i) / rate_of(fastest) - 1) > kScatter) continue;
    near += seen_[i];
    sum += static_cast<double>(seen_[i]) * rate_of(i);
  }
  peak_ = sum / static_cast<double>(near);
  scatter_ = peak_ / rate_of(fastest) - 1;
}

}  // namespace assay

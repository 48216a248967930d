#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "profiler/protocol/fixed_estimate.h"
#include "profiler/protocol/fixed_protocol.h"
#include "profiler/sampling/companions.h"
#include "profiler/sampling/estimate.h"
#include "profiler/sampling/sampler.h"

namespace assay {

/// The runs of a fixed protocol, series by series, until it has as many undisturbed ones as it asks
/// for. The other tools look for a busy neighbour by counters, or not at all; here the reference
/// and the canary run in their rounds as in assay's own, since a run beside a neighbour is as wrong
/// whatever is made of it.
class FixedSampling {
 public:
  /// `scale`: its ratio is replaced by that of the series.
  FixedSampling(const FixedProtocol& protocol, const FixedScale& scale,
                const Companions& companions)
      : protocol_(protocol),
        scale_(scale),
        companions_(companions),
        round_(pair_round(protocol.warm_ups)) {}

  /// One turn of each size that counts, behind the protocol's warm-ups, and what runs beside them.
  const Round& round() const { return round_; }

  /// Takes a series in if nothing disturbed it; what is more than the protocol asks for is left
  /// out. `readings`: none if they were lost with the core.
  SeriesFate add_series(std::span<const std::uint32_t> readings, bool preempted);
  bool complete() const { return readings_.large.size() >= wanted(); }

  /// Series until they are complete, and the canary over all of them is no slower than
  /// `accept_slowdown`. If it is slower, they are all left out. Disturbed series, and those that
  /// were left out, count against `patience`. Ends with kEnough, kPatience or kFault.
  SamplingEnd run(const Sampler::Environment& environment, Sampler::Nanoseconds patience,
                  double accept_slowdown);
  /// The fault, if it ended so.
  const std::optional<subject::Fault>& fault() const { return fault_; }

  // Once it is complete:
  FixedEstimate estimate() const;
  FixedScale scale() const;
  double core_cycles_per_tick() const;
  double slowdown() const;  ///< of the canary

  std::span<const SeriesPoint> points() const { return points_; }

 private:
  std::size_t wanted() const;
  SeriesPoint point(const Samples& samples, const CompanionReport& report) const;
  void leave_out_all();

  FixedProtocol protocol_;
  FixedScale scale_;
  Companions companions_;
  Round round_;
  SizedReadings readings_;  ///< undisturbed ones
  std::vector<SeriesPoint> points_;
  std::optional<subject::Fault> fault_;
};

/// Rounds of a series that keep the subject within its time limit even if one run takes
/// `full_cycles`: 8 to 16.
std::uint32_t fixed_rounds(const FixedProtocol& protocol, double full_cycles);

}  // namespace assay

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/measurement/measurement.h"
#include "profiler/protocol/fixed_protocol.h"

namespace assay {

/// The readings of both sizes, in ticks, in the order in which they were taken.
struct SizedReadings {
  std::vector<double> small, large;
};

/// What readings are scaled by.
struct FixedScale {
  double small_copies = 0, large_copies = 0;  ///< of the block, in a run
  double cycles_per_tick = 0;
  double ratio_error = 0;  ///< standard error of cycles_per_tick, as a share of it
  double clock_step = 0;   ///< ticks

  double added_copies() const { return large_copies - small_copies; }
  /// What one step of the clock is, in core cycles a copy.
  double resolution() const { return clock_step * cycles_per_tick / added_copies(); }
};

/// `plan`: of plan_fixed().
FixedScale fixed_scale(const Plan& plan, std::uint32_t clock_step, double cycles_per_tick);

/// What a fixed protocol makes of its readings. All but `variation` in core cycles a copy.
struct FixedEstimate {
  /// The half-width is the protocol's own measure of scatter, but at least the clock's resolution,
  /// together with the ratio's own error: `variation` of the value for StabilityRule::kVariation,
  /// `spread` otherwise. It is no 95 % interval in the statistical sense: the tools give none.
  Estimate estimate;
  double spread = 0;  ///< of a size without a fifth at either end; of both sizes the larger
  double variation =
      0;  ///< coefficient of variation of the repetitions' values; 0 for a single one
  double resolution = 0;
};

/// `readings`: runs times repetitions of each size, the first repetition first. Repetitions are
/// aggregated one by one, and their results once more, size by size; the value is the difference of
/// the sizes.
FixedEstimate reduce(const FixedProtocol& protocol, const SizedReadings& readings,
                     const FixedScale& scale);

/// Whether the clock can tell at all if the protocol's rule holds: a step of it is no more than the
/// rule's bound for a block that takes so many cycles.
bool clock_is_fine(const FixedProtocol& protocol, const FixedScale& scale, double cycles);
/// Whether it can for some block: false tells that there is no point in running one.
bool clock_may_be_fine(const FixedProtocol& protocol, const FixedScale& scale);

/// Both numbers, and the way out.
std::string describe_coarse_clock(const FixedProtocol& protocol, const FixedScale& scale,
                                  double cycles);

/// Whether the protocol's own rule accepts it.
bool is_stable(const FixedProtocol& protocol, const FixedEstimate& found);

/// The measurement's verdict: kClockTooCoarse, kBelowLimit for an estimate below `floor` (cycles a
/// copy; 0 if not known), kUnstable by the protocol's own rule or for a value that is not larger
/// than its half-width, or measured.
void judge_fixed(Measurement& measurement, const FixedProtocol& protocol, const FixedScale& scale,
                 const FixedEstimate& found, double floor);

}  // namespace assay

#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "profiler/block/block.h"

namespace assay {

/// How many NOPs a core executes in each cycle.
struct NopRate {
  double per_cycle = 0;
  double leeway = 0;  ///< up to this share slower it may be: how unsure the rate is
  /// The length of the NOPs, 3 to 6. Short ones overflow some micro-op caches, which hold so many
  /// for each 64 bytes of code; long ones are delivered more slowly by the decoders of others.
  int bytes = 0;
};

/// The most that a core can do in each cycle.
struct MachineLimits {
  std::string_view microarchitecture;  ///< Machine::microarchitecture
  /// NOPs in straight-line code; nothing if that is not known.
  std::optional<NopRate> nops;
  /// Instructions that the front end delivers, not counting NOPs, and fused pairs as one.
  double operations_per_cycle = 0;
  double loads_per_cycle = 0;   ///< loads of any size
  double stores_per_cycle = 0;  ///< stores of any size
  double taken_branches_per_cycle = 0;
  /// Whether assay itself reached every limit, and exceeded none, on such a core. The limits of
  /// other rows come from documents, and are the larger ones if these are in doubt: a floor that is
  /// too low lets a bad value pass, one that is too high refuses a good one.
  bool tested = false;
};

/// The least core cycles that the demand takes with these limits.
double floor_of(const Demand& demand, const MachineLimits& limits);

/// Whether the demand takes as long as its stores do by themselves, with these limits.
bool stores_bind(const Demand& demand, const MachineLimits& limits);

/// The limits of the microarchitecture; nothing if it is not in the table: then they must be found
/// by measurement (protocol/measured_limits.h).
std::optional<MachineLimits> limits_of(std::string_view microarchitecture);

/// The larger of each limit: what a core is not above that may be like either. The rate of NOPs is
/// the lower one, if both are known. The name is that of `one`.
MachineLimits joined(const MachineLimits& one, const MachineLimits& other);

/// What a core is taken to be able to do if all that is known of it is that it is one of these
/// microarchitectures, or newer: the largest of their limits, and the lowest of their rates of
/// NOPs, if that of each is known. Nothing if none of them is in the table.
std::optional<MachineLimits> joint_limits_of(std::span<const std::string_view> microarchitectures);

/// What the table tells about a core.
struct KnownCore {
  std::optional<MachineLimits> own;  ///< of its microarchitecture
  /// Of the microarchitectures that are as old as its features, if it has more of these than its
  /// model. (A model that is not in the table may be a smaller core.)
  std::optional<MachineLimits> generation;

  std::optional<NopRate> nops() const;  ///< its own, or else its generation's
};

/// What is known of the core that this is run on.
KnownCore known_core();

/// The limits of all microarchitectures in the table.
std::span<const MachineLimits> all_limits();

}  // namespace assay

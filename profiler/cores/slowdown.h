#pragma once

#include <span>
#include <string_view>

namespace assay {

/// Whether work on one logical processor takes execution units away from another.
enum class Sharing {
  kApart,   ///< surely not
  kShared,  ///< surely so: two threads of one core
  kUnsure,  ///< what was seen does not tell
};

/// apart, shared, unsure.
std::string_view name(Sharing sharing);

/// By how much a canary was slower while others were loaded: 1 means that it took twice as long.
struct Slowdown {
  double share = 0;
  double half_width = 0;  ///< of a 99.9 % interval: a machine has many pairs of processors
  Sharing sharing = Sharing::kUnsure;
};

/// One slice of time in which the canary ran on a processor.
struct TimeSlice {
  /// Time of the canary's additions by that of a latency chain of the same slice. The core's
  /// frequency, which loads elsewhere may change, drops out of it. 0 if the slice does not count:
  /// somebody was not on his processor.
  double ratio = 0;
  bool loaded = false;
};

/// More than this is no longer apart, and surely more is shared. Two threads of a core that both
/// add at the core's peak rate have half of it each, or at any rate lose a third; what other cores
/// take away (power, caches, the memory bus) changes the ratio by far less than a per cent. In
/// between lies nothing that is known, and five per cent is far from both.
inline constexpr double kSharingBound = 0.05;

/// Judges slices that come in fours, in the order idle, loaded, loaded, idle or its opposite: a
/// drift drops out of each four, and so does another guest that comes and goes within more time
/// than that. Those with a slice that does not count, and an incomplete one at the end, are
/// passed over. The slowdown is the median over the fours and its interval that of the median by
/// order statistics, which holds whatever their distribution is: up to half of them may have been
/// interrupted. Unsure if there are fewer than twelve.
Slowdown judge_slowdown(std::span<const TimeSlice> slices);

}  // namespace assay

#pragma once

#include <span>
#include <string_view>

namespace assay {

/// Whether work on one logical processor takes execution units away from another.
enum class Sharing {
  kApart,   ///< surely not: they belong to different cores
  kShared,  ///< surely: they are two threads of one core
  kUnsure,  ///< the measurements do not tell
};

/// The name in results: "apart", "shared" or "unsure".
std::string_view name(Sharing sharing);

/// How much slower a canary was while others were loaded: a share of 1 means twice the time.
struct Slowdown {
  double share = 0;
  double half_width = 0;  ///< of a 99.9 % interval, since a machine has many pairs of processors
  Sharing sharing = Sharing::kUnsure;
};

/// What a canary measured in one slice of time on its processor.
struct TimeSlice {
  /// The time of the canary's additions divided by that of a latency chain in the same slice, so
  /// that the core's frequency, which loads elsewhere may change, drops out. 0 if the slice does
  /// not count because a thread was not on its processor.
  double ratio = 0;
  bool loaded = false;  ///< whether the others were loaded in this slice
};

/// A slowdown surely below this is kApart, one surely above it kShared. Two threads of a core that
/// both add at the core's peak rate get half of it each, or at least lose a third; what other cores
/// take away (power, caches, the memory bus) changes the ratio by far less than a per cent. Nothing
/// is known to lie in between, and five per cent is far from both.
inline constexpr double kSharingBound = 0.05;

/// Judges slices that come in fours, in the order idle, loaded, loaded, idle or the opposite one,
/// so that a drift cancels out within each four, and so does another guest that comes and goes more
/// slowly than that. Fours with a slice that does not count, and an incomplete four at the end, are
/// left out. The slowdown is the median over the fours. Its interval is that of the median by order
/// statistics, which is right whatever their distribution is: up to half of the fours may have been
/// interrupted. Unsure if there are fewer than twelve.
Slowdown judge_slowdown(std::span<const TimeSlice> slices);

}  // namespace assay

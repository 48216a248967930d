#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profiler/measurement/plan.h"
#include "profiler/sampling/companions.h"
#include "profiler/sampling/round.h"
#include "profiler/support/units.h"

namespace assay {

/// How often a series may bring data into the cache anew because they lie badly there: a few times
/// for each alignment. Each time takes some microseconds.
inline constexpr std::uint32_t kMostLayoutRetries = 16;

/// A run of a block at one alignment, in one layout of its data.
struct LayoutRun {
  Reading reading;
  Reading behind;  ///< how much shorter it is than at the first alignment for having fewer copies
};

/// The runs of a first_round() that count. `per_copy` is about how long each copy takes.
std::vector<LayoutRun> layout_runs(const Plan& plan, const Round& first_round,
                                   std::span<const std::uint32_t> readings, Reading per_copy);

/// How long a run takes at most at each alignment if its data lie well in the first-level data
/// cache. Which ways of their sets lines come to lie in is chance, and matters on some cores: two
/// loads of one cycle get in each other's way if their lines lie in the same way and bank (Zen 4:
/// `mov rax, [r14+16]; cmp [r13+16], rax` takes 0.67 cycles, or 1.09 in one of eight layouts). In a
/// program as well, lines lie differently each time, and mostly well. So a block is run in layouts
/// that are as quick as the quickest that is no exception: that three of those tried share. A run
/// that a neighbour slows exceeds the limit too, whatever the layout.
///
/// `runs` are one at each alignment, in layouts that were drawn independently, with the same number
/// of runs before each. The result is empty if no three are alike.
std::vector<Reading> layout_limits(std::span<const LayoutRun> runs, const ReadingStep& step);

}  // namespace assay

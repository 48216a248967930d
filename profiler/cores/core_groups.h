#pragma once

#include <functional>
#include <span>
#include <vector>

#include "profiler/cores/slowdown.h"

namespace assay {

/// Which logical processors are threads of one core, as far as measuring shows, and how it shows.
struct CoreGroups {
  /// The threads of each core; each processor is in one group. Groups are ascending, and sorted by
  /// their first processors.
  std::vector<std::vector<int>> groups;
  /// For each group, how much one of its members slowed another: the least slowdown that joined
  /// members, or unsure if the kernel's topology joined them. For a processor by itself, the most
  /// that many others together slowed it.
  std::vector<Slowdown> slowdowns;
  /// The processors for which measuring was not sure, as on a busy machine; ascending.
  std::vector<int> unsure;
};

/// One processor of each group: they can measure at the same time without taking execution units
/// from each other. It is the last processor of its group, since the first ones get most of a
/// machine's interrupts. Ascending.
std::vector<int> one_of_each(const CoreGroups& groups);

/// Finds the groups by measuring. In a trial, a canary runs on one half of the processors while the
/// other half is alternately loaded and not. There is a trial for each bit of a processor's
/// position in the list and each value of that bit, so that which processors are slowed shows by
/// which others. Pairs that are found are then tried by themselves, and after that one processor of
/// each group against all others. Each trial takes 20 ms: 40 ms for two processors, 1.1 s for 64
/// threads of 32 cores; up to five times that on a busy machine.
/// `processors` must be distinct, at least one, and usable by this process. All threads that run on
/// them meanwhile have ended when this returns. Throws EnvironmentError if a processor cannot be
/// used.
CoreGroups find_core_groups(std::span<const int> processors);

/// Runs a canary on each processor in `canaries` while all those in `loads` are alternately loaded
/// and not. Returns how much each canary was slowed, in the order of `canaries`.
using CoreTrial =
    std::function<std::vector<Slowdown>(std::span<const int> canaries, std::span<const int> loads)>;
/// Returns the processors that the kernel lists as threads of the processor's core, including
/// itself.
using KernelSiblings = std::function<std::vector<int>(int processor)>;

/// The algorithm of find_core_groups(). Where trials are unsure, the kernel's topology is believed:
/// if that is wrong, it costs speed, whichever way it errs, but no value, since the canary beside
/// each block finds a neighbour. A processor is also unsure if it is slowed but no trial shows by
/// which other one; cores with more than two threads may be so if their threads are numbered in no
/// order. Runs at most 4 log2(n) + 2 n + 8 trials for n processors.
CoreGroups group_cores(std::span<const int> processors, const CoreTrial& trial,
                       const KernelSiblings& siblings);

}  // namespace assay

#pragma once

#include <functional>
#include <span>
#include <vector>

#include "profiler/cores/slowdown.h"

namespace assay {

/// Which logical processors are threads of one core, as far as measuring tells, and by what.
struct CoreGroups {
  /// Each processor is in one of them. Ascending, and so are their first ones.
  std::vector<std::vector<int>> groups;
  /// For each group: how much one of its members slowed another, the least of what joined it, or
  /// unsure if the kernel's word did; of a processor by itself, the most that many others together
  /// slowed it.
  std::vector<Slowdown> slowdowns;
  /// Those for which measuring was not sure, ascending: a busy machine.
  std::vector<int> unsure;
};

/// One of each group: what can measure at the same time without taking units from each other. The
/// last one, since the first processors get most of a machine's interrupts. Ascending.
std::vector<int> one_of_each(const CoreGroups& groups);

/// Finds out by measuring. A canary runs on one half of the processors while the other half is
/// loaded and is not, in turn, once for each bit of a processor's place in the list and each half,
/// so that who is slowed tells by whom. Found pairs are tried by themselves, and one of each group
/// against all others again. Takes 20 ms for each of these trials: 40 ms for two processors, 1.1 s
/// for 64 threads of 32 cores; up to five times that on a busy machine.
/// `processors`: distinct ones that this process may use, at least one. Threads that run on them
/// meanwhile have ended when this returns. Throws EnvironmentError when one cannot be used.
CoreGroups find_core_groups(std::span<const int> processors);

/// Runs a canary on each of some processors while all of some others are loaded and are not, and
/// says for each canary, in this order, how much it was slowed.
using CoreTrial =
    std::function<std::vector<Slowdown>(std::span<const int> canaries, std::span<const int> loads)>;
/// Processors that the kernel names as threads of one processor's core, itself among them.
using KernelSiblings = std::function<std::vector<int>(int processor)>;

/// The algorithm of find_core_groups(). Where trials are unsure, the kernel's word is taken: a
/// wrong one costs speed in either way, since the canary beside each block finds a neighbour, and
/// no value. Unsure is also who is slowed and finds nobody in particular by whom; cores with more
/// than two threads may be so if those are numbered without any order. Runs at most 4 log2(n) + 2 n
/// + 8 trials of n processors.
CoreGroups group_cores(std::span<const int> processors, const CoreTrial& trial,
                       const KernelSiblings& siblings);

}  // namespace assay

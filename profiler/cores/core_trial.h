#pragma once

#include <span>
#include <vector>

#include "profiler/cores/slowdown.h"

namespace assay {

/// Runs a trial (CoreTrial) on the machine itself: threads on each of these processors follow one
/// schedule of 40 times four slices of 100 us by CLOCK_MONOTONIC. Loads add at the core's peak rate
/// in some slices, and wait with PAUSE in the others; canaries time first a latency chain and then
/// additions in every slice. Neither touches memory: only what a core has to itself can slow them.
/// A slice counts for a canary if the canary began and ended in time and no load was away from its
/// processor for long. Takes 20 ms, and up to five times that while the result is not sure, as on a
/// busy machine. The processors must be distinct, and there must be a canary. Throws
/// EnvironmentError if a thread cannot be put on its processor.
std::vector<Slowdown> run_core_trial(std::span<const int> canaries, std::span<const int> loads);

}  // namespace assay

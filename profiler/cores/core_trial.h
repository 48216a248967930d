#pragma once

#include <span>
#include <vector>

#include "profiler/cores/slowdown.h"

namespace assay {

/// A trial on the machine itself (CoreTrial): threads on each of these processors follow one
/// schedule of 40 times four slices of 100 us by CLOCK_MONOTONIC. Loads add at the core's peak
/// rate in some, and wait with PAUSE in the others; canaries time a latency chain and then
/// additions in all of them. Neither touches memory: only what a core has of its own can slow them.
/// A slice counts for a canary if that began and ended in time and no load was away from its
/// processor for long. Takes 20 ms, and up to
/// five times that while it is not sure: on a busy machine. The processors must be distinct, and
/// there must be a canary. Throws EnvironmentError when a thread cannot be put on its processor.
std::vector<Slowdown> run_core_trial(std::span<const int> canaries, std::span<const int> loads);

}  // namespace assay

#pragma once

#include <cstdint>
#include <span>

namespace assay {

/// What the time-stamp counter is like as a clock.
struct TscProperties {
  bool invariant = false;  ///< whether CPUID says that its rate is the same in all power states
  std::uint32_t step = 1;  ///< by how many ticks the counter advances at once
  double read_ticks = 0;   ///< mean time from one reading to the next, including LFENCE
};

/// Examines the counter for less than a millisecond. Throws EnvironmentError if it stands still or
/// runs backwards.
TscProperties probe_tsc();

/// The counter's ticks per second, measured against CLOCK_MONOTONIC_RAW for 10 ms.
double measure_tsc_rate();

/// By how many ticks a counter advances at once, as the durations show that were read off it: the
/// gap between two that are neighbours, among the middle half of them. Gaps of up to this size make
/// half of that range, so that a duration that never comes makes no step. They must be of code that
/// takes all times over some steps. (The smallest duration is that of a reading, if a step is less;
/// and the common divisor of all says nothing where a hypervisor scales the counter, so that its
/// steps have two lengths.) If all of that half are the same, it is the common divisor of all; 0 if
/// that is 0. A Zen 4 advances the counter by 26 ticks, at 100 MHz; an Emerald Rapids, by 2.
std::uint32_t tsc_step(std::span<const std::uint64_t> durations);

}  // namespace assay

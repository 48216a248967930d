#pragma once

#include <cstdint>
#include <span>

namespace assay {

/// The time-stamp counter as a clock.
struct TscProperties {
  bool invariant = false;         ///< CPUID says that it runs at one rate in all power states
  std::uint32_t step = 1;         ///< ticks that every difference of two readings is a multiple of
  std::uint32_t granularity = 1;  ///< smallest difference of two readings that differ
  double ticks_per_second = 0;    ///< against CLOCK_MONOTONIC_RAW, over some milliseconds
  double read_ticks = 0;          ///< mean time from one reading to the next, LFENCE included
};

/// Looks at the counter for some 10 ms. Throws EnvironmentError when it stands still or runs
/// backwards.
TscProperties probe_tsc();

/// The greatest common divisor of the differences between successive readings: on AMD processors
/// the counter steps by the ratio of the core's base clock to a 100 MHz reference. 0 if there is no
/// difference at all.
std::uint32_t tsc_step(std::span<const std::uint64_t> readings);

/// The smallest difference between successive readings that differ; 0 if none do. Under a
/// hypervisor that scales the counter, steps are of two lengths, and their divisor says nothing of
/// their size.
std::uint32_t tsc_granularity(std::span<const std::uint64_t> readings);

}  // namespace assay

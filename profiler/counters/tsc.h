#pragma once

#include <cstdint>
#include <span>

namespace assay {

/// What the time-stamp counter is like as a clock.
struct TscProperties {
  bool invariant = false;  ///< whether CPUID says that its rate is the same in all power states
  std::uint32_t step = 1;  ///< every difference of two readings is a multiple of so many ticks
  std::uint32_t granularity = 1;  ///< the smallest difference between two different readings
  double ticks_per_second = 0;    ///< measured against CLOCK_MONOTONIC_RAW over some milliseconds
  double read_ticks = 0;          ///< mean time from one reading to the next, including LFENCE
};

/// Examines the counter for some 10 ms. Throws EnvironmentError if it stands still or runs
/// backwards.
TscProperties probe_tsc();

/// The greatest common divisor of the differences between successive readings. On AMD processors
/// the counter advances in steps, by the ratio of the core's base clock to a 100 MHz reference. 0
/// if all readings are the same.
std::uint32_t tsc_step(std::span<const std::uint64_t> readings);

/// The smallest difference between successive readings that differ; 0 if none do. Under a
/// hypervisor that scales the counter, steps have two lengths, whose common divisor says nothing
/// about their size.
std::uint32_t tsc_granularity(std::span<const std::uint64_t> readings);

}  // namespace assay

#include "profiler/counters/tsc.h"

#include <cpuid.h>
#include <x86intrin.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <numeric>

#include "profiler/support/error.h"

namespace assay {
namespace {

using StampTrain = std::array<std::uint64_t, 4096>;

bool is_invariant() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kInvariantTsc = 1U << 8;  // CPUID 8000'0007h EDX
  return __get_cpuid(0x8000'0007, &a, &b, &c, &d) && (d & kInvariantTsc);
}

std::int64_t nanoseconds() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

double measure_rate() {
  constexpr std::int64_t kInterval = 10'000'000;
  const std::int64_t start = nanoseconds();
  const std::uint64_t start_ticks = __rdtsc();
  std::int64_t now = start;
  while (now - start < kInterval) now = nanoseconds();
  const std::uint64_t ticks = __rdtsc() - start_ticks;
  return static_cast<double>(ticks) * 1e9 / static_cast<double>(now - start);
}

}  // namespace

std::uint32_t tsc_step(std::span<const std::uint64_t> readings) {
  std::uint64_t step = 0;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    step = std::gcd(step, readings[i] - readings[i - 1]);
  }
  return static_cast<std::uint32_t>(step);
}

std::uint32_t tsc_granularity(std::span<const std::uint64_t> readings) {
  std::uint64_t smallest = 0;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const std::uint64_t difference = readings[i] - readings[i - 1];
    if (difference > 0 && (smallest == 0 || difference < smallest)) smallest = difference;
  }
  return static_cast<std::uint32_t>(smallest);
}

TscProperties probe_tsc() {
  StampTrain readings{};
  for (auto& reading : readings) {
    _mm_lfence();
    reading = __rdtsc();
  }
  if (!std::ranges::is_sorted(readings)) {
    throw EnvironmentError("the time-stamp counter runs backwards on this machine: no clock");
  }
  TscProperties properties;
  properties.step = tsc_step(readings);
  if (properties.step == 0) {
    throw EnvironmentError("the time-stamp counter stands still on this machine: no clock");
  }
  properties.granularity = tsc_granularity(readings);
  properties.invariant = is_invariant();
  properties.read_ticks =
      static_cast<double>(readings.back() - readings.front()) / (readings.size() - 1);
  properties.ticks_per_second = measure_rate();
  return properties;
}

}  // namespace assay

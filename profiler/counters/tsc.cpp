#include "profiler/counters/tsc.h"

#include <cpuid.h>
#include <x86intrin.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <numeric>
#include <vector>

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

StampTrain read_in_a_row() {
  StampTrain readings{};
  for (auto& reading : readings) {
    _mm_lfence();
    reading = __rdtsc();
  }
  return readings;
}

/// Durations of loops of all lengths up to 127 core cycles, some steps of any counter known.
StampTrain durations_of_all_lengths() {
  constexpr std::uint64_t kLengths = 128;
  StampTrain durations{};
  for (std::size_t i = 0; i < durations.size(); ++i) {
    std::uint64_t iterations = i % kLengths;
    _mm_lfence();
    const std::uint64_t start = __rdtsc();
    asm volatile("1: sub $1, %0\n\tjnc 1b" : "+r"(iterations) : : "cc");
    _mm_lfence();
    durations[i] = __rdtsc() - start;
  }
  return durations;
}

}  // namespace

std::uint32_t tsc_step(std::span<const std::uint64_t> durations) {
  std::vector<std::uint64_t> sorted(durations.begin(), durations.end());
  std::ranges::sort(sorted);
  std::uint64_t common = 0;
  std::vector<std::uint64_t> gaps;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    common = std::gcd(common, sorted[i]);
    if (4 * i <= sorted.size() || 4 * i > 3 * sorted.size()) continue;
    if (sorted[i] > sorted[i - 1]) gaps.push_back(sorted[i] - sorted[i - 1]);
  }
  if (gaps.empty()) return static_cast<std::uint32_t>(common);
  std::ranges::sort(gaps);
  const std::uint64_t all = std::accumulate(gaps.begin(), gaps.end(), std::uint64_t{0});
  std::uint64_t below = 0;
  std::size_t i = 0;
  while (2 * (below + gaps[i]) < all) below += gaps[i++];
  return static_cast<std::uint32_t>(gaps[i]);
}

TscProperties probe_tsc() {
  const StampTrain readings = read_in_a_row();
  if (!std::ranges::is_sorted(readings)) {
    throw EnvironmentError("the time-stamp counter runs backwards on this machine: no clock");
  }
  TscProperties properties;
  properties.step = tsc_step(durations_of_all_lengths());
  if (properties.step == 0) {
    throw EnvironmentError("the time-stamp counter stands still on this machine: no clock");
  }
  properties.invariant = is_invariant();
  properties.read_ticks =
      static_cast<double>(readings.back() - readings.front()) / (readings.size() - 1);
  return properties;
}

double measure_tsc_rate() {
  constexpr std::int64_t kInterval = 10'000'000;
  const std::int64_t start = nanoseconds();
  const std::uint64_t start_ticks = __rdtsc();
  std::int64_t now = start;
  while (now - start < kInterval) now = nanoseconds();
  const std::uint64_t ticks = __rdtsc() - start_ticks;
  return static_cast<double>(ticks) * 1e9 / static_cast<double>(now - start);
}

}  // namespace assay

#include "profiler/counters/tsc.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace assay {
namespace {

/// Durations of code that takes `first` to `last` ticks, evenly, on a counter that advances by
/// `step` at once, as the differences of whole readings at all of its phases.
std::vector<std::uint64_t> durations(double step, std::uint64_t first, std::uint64_t last) {
  constexpr int kStarts = 256;
  const auto reading = [&](double time) { return std::floor(std::floor(time / step) * step); };
  std::vector<std::uint64_t> found;
  for (std::uint64_t length = first; length <= last; ++length) {
    for (int i = 0; i < kStarts; ++i) {
      const double start = 7.3 * step * i / kStarts;
      found.push_back(static_cast<std::uint64_t>(reading(start + static_cast<double>(length)) -
                                                 reading(start)));
    }
  }
  return found;
}

TEST(TscStep, IsByHowMuchTheCounterAdvancesAtOnce) {
  EXPECT_EQ(tsc_step(durations(1, 38, 165)), 1U);
  EXPECT_EQ(tsc_step(durations(2, 38, 165)), 2U);
  EXPECT_EQ(tsc_step(durations(26, 20, 110)), 26U);
}

TEST(TscStep, IsAboutTheMeanOfTwoLengths) {
  // A counter with steps of 26.4 ticks, as a hypervisor's scaling makes them, advances by 26 or 27.
  const std::uint32_t step = tsc_step(durations(26.4, 20, 110));
  EXPECT_GE(step, 25U);
  EXPECT_LE(step, 27U);
}

TEST(TscStep, IsNotTheGapToWhatWasInterrupted) {
  std::vector<std::uint64_t> found = durations(2, 38, 165);
  for (std::size_t i = 0; i < found.size(); i += 10) found[i] += 1000 + 500 * i;
  EXPECT_EQ(tsc_step(found), 2U);
}

TEST(TscStep, IsNotTheGapThatMispredictedLoopsLeave) {
  std::vector<std::uint64_t> found = durations(1, 38, 90);
  for (const std::uint64_t duration : durations(1, 110, 165)) found.push_back(duration);
  EXPECT_EQ(tsc_step(found), 1U);
}

TEST(TscStep, IsTheCommonDivisorIfOneDurationIsUsual) {
  EXPECT_EQ(tsc_step(std::vector<std::uint64_t>{100, 200, 200, 200, 200, 300}), 100U);
  EXPECT_EQ(tsc_step(std::vector<std::uint64_t>{0, 0, 0}), 0U);
}

TEST(Tsc, IsPlausibleHere) {
  const TscProperties properties = probe_tsc();
  EXPECT_GE(properties.step, 1U);
  const double rate = measure_tsc_rate();
  EXPECT_GT(rate, 1e8);
  EXPECT_LT(rate, 2e10);
  EXPECT_GT(properties.read_ticks, 0);
}

}  // namespace
}  // namespace assay

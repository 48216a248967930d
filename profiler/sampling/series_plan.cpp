#include "profiler/sampling/series_plan.h"

#include <algorithm>
#include <cmath>

#include "profiler/support/statistics.h"

namespace assay {
namespace {

// Outliers are told from the other runs at the same placement.
constexpr int kFewestRuns = 4;
// The subject takes no more kernels in a round.
constexpr int kMostRuns = 8;
constexpr double kMostRounds = 8;

}  // namespace

SeriesPlan plan_series(const Plan& plan, const RunTimes& times, Cycles clock_step,
                       const Settings& settings, ReadMethod method) {
  if (method == ReadMethod::kAround) return {interleaved_round(kFewestRuns, kPlacements), 1};
  const auto copies = plan.added_copies().real();
  const double difference = std::max((times.largest - times.smallest).count(), 0.0);
  const double half_width =
      std::max(settings.target_relative * difference, settings.target_cycles * copies);
  // The variance of a difference of two readings is, over all phases, a third of the step squared.
  // Runs scatter by a few cycles themselves, and one series is to be enough for most blocks.
  constexpr double kReserve = 1.4;
  const double deviation = kReserve * clock_step.count() / std::sqrt(3.0);
  const double pairs = std::pow(student_quantile(kPlacements - 1) * deviation / half_width, 2);
  const int runs = static_cast<int>(
      std::clamp(std::ceil(pairs / kPlacements), double{kFewestRuns}, double{kMostRuns}));
  const double rounds = std::ceil(pairs / (kPlacements * runs));
  return {interleaved_round(runs, kPlacements),
          static_cast<std::uint32_t>(std::clamp(rounds, 1.0, kMostRounds))};
}

SeriesPlan calibration_series(ReadMethod method) {
  constexpr std::uint32_t kRounds = 12;
  return {interleaved_round(kFewestRuns), method == ReadMethod::kAround ? 1 : kRounds};
}

}  // namespace assay

#include "profiler/sampling/series_plan.h"

#include <algorithm>
#include <cmath>

#include "profiler/sampling/estimate.h"
#include "profiler/sampling/sampler.h"

namespace assay {
namespace {

// Outliers are told from the other turns at the same place.
constexpr int kFewestTurns = 4;
// The subject takes no more kernels in a round.
constexpr int kMostTurns = 8;
constexpr double kMostRounds = 8;

}  // namespace

SeriesPlan plan_series(const Plan& plan, const RunTimes& times, double clock_step,
                       const Settings& settings, ReadMethod method) {
  if (method == ReadMethod::kAround) return {interleaved_round(kFewestTurns, kPlaces), 1};
  const auto copies = static_cast<double>((plan.sizes.back() - plan.sizes[0]) * plan.body_copies);
  const double difference = std::max(times.full - times.quarter, 0.0);
  const double half_width =
      std::max(settings.target_relative * difference, settings.target_cycles * copies);
  // The variance of a difference of two readings is, over all phases, a third of the step squared.
  // Runs scatter by a few cycles themselves, and one series is to be enough for most blocks.
  constexpr double kReserve = 1.4;
  const double deviation = kReserve * clock_step / std::sqrt(3.0);
  const double pairs = std::pow(student_quantile(kPlaces - 1) * deviation / half_width, 2);
  const int turns = static_cast<int>(
      std::clamp(std::ceil(pairs / kPlaces), double{kFewestTurns}, double{kMostTurns}));
  const double rounds = std::ceil(pairs / (kPlaces * turns));
  return {interleaved_round(turns, kPlaces),
          static_cast<std::uint32_t>(std::clamp(rounds, 1.0, kMostRounds))};
}

SeriesPlan calibration_series(ReadMethod method) {
  constexpr std::uint32_t kRounds = 12;
  return {interleaved_round(kFewestTurns), method == ReadMethod::kAround ? 1 : kRounds};
}

}  // namespace assay

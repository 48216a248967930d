#include "profiler/protocol/series_plan.h"

#include <algorithm>
#include <cmath>

#include "profiler/protocol/estimate.h"
#include "profiler/protocol/sampler.h"

namespace assay {
namespace {

// The companions' share in a round, and the stop's in a series, are to be small.
constexpr int kFewestTurns = 4;
constexpr int kMostTurns = 15;
constexpr double kLongRound = 40'000;  ///< core cycles
constexpr double kFewestRounds = 3;
constexpr double kMostRounds = 24;

}  // namespace

SeriesPlan plan_series(const Plan& plan, const RunTimes& times, double clock_step,
                       const Settings& settings, ReadMethod method) {
  if (method == ReadMethod::kAround) return {interleaved_round(kFewestTurns), 1};
  constexpr double kSizes = 2.5;    // runs in a turn, as the middle size has half as many
  constexpr double kBetween = 150;  // from run to run, core cycles
  const double turns = kLongRound / (kSizes * (times.full + kBetween));
  const int count = std::clamp(static_cast<int>(turns), kFewestTurns, kMostTurns);
  const auto copies = static_cast<double>((plan.sizes.back() - plan.sizes[0]) * plan.body_copies);
  const double difference = std::max(times.full - times.quarter, 0.0);
  const double half_width =
      std::max(settings.target_relative * difference, settings.target_cycles * copies);
  // The variance of a difference of two readings is, over all phases, a third of the step squared.
  const double deviation = clock_step / std::sqrt(3.0);
  const double pairs = std::pow(student_quantile(kFewestSeries - 1) * deviation / half_width, 2);
  const double rounds = std::ceil(pairs / (kFewestSeries * count));
  return {interleaved_round(count),
          static_cast<std::uint32_t>(std::clamp(rounds, kFewestRounds, kMostRounds))};
}

SeriesPlan calibration_series(ReadMethod method) {
  constexpr std::uint32_t kRounds = 12;
  return {interleaved_round(kFewestTurns), method == ReadMethod::kAround ? 1 : kRounds};
}

}  // namespace assay

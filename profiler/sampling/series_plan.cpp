#include "profiler/sampling/series_plan.h"

#include <algorithm>
#include <cmath>

#include "profiler/support/statistics.h"

namespace assay {
namespace {

// With fewer runs at an alignment, outliers could not be told from the others.
constexpr int kFewestRuns = 4;
// With more runs, a round would have more kernels than the subject accepts.
constexpr int kMostRuns = 8;
constexpr double kMostRounds = 8;

/// The series of all alignments, with so many runs at each and so many rounds.
std::vector<SeriesPlan> series_of(const Plan& plan, int runs, double rounds) {
  std::vector<SeriesPlan> series;
  for (std::size_t first = 0; first < kAlignments; first += kAlignmentsInSeries) {
    series.push_back({interleaved_round(plan, runs, kAlignmentsInSeries, first),
                      static_cast<std::uint32_t>(std::clamp(rounds, 1.0, kMostRounds))});
  }
  return series;
}

}  // namespace

std::vector<SeriesPlan> plan_series(const Plan& plan, const RunTimes& times, Cycles clock_step,
                                    std::size_t known, const Settings& settings,
                                    ReadMethod method) {
  if (method == ReadMethod::kAround) return series_of(plan, kFewestRuns, 1);
  constexpr std::size_t kSeries = kAlignments / kAlignmentsInSeries;
  const double copies = plan.added_copies().real();
  const double difference = std::max((times.largest - times.smallest).count(), 0.0);
  const double half_width =
      std::max(settings.target_relative * difference, settings.target_cycles * copies);
  // Over all phases, the variance of a difference of two readings is a third of the step squared.
  // The reserve is for the few cycles by which runs scatter themselves, since one series for each
  // part of the alignments should be enough for most blocks.
  constexpr double kReserve = 1.4;
  const double deviation = kReserve * clock_step.count() / std::sqrt(3.0);
  const double pairs = std::pow(student_quantile(kSeries - 1 + known) * deviation / half_width, 2);
  const int runs = static_cast<int>(
      std::clamp(std::ceil(pairs / kAlignments), double{kFewestRuns}, double{kMostRuns}));
  return series_of(plan, runs, std::ceil(pairs / (kAlignments * runs)));
}

SeriesPlan calibration_series(ReadMethod method) {
  constexpr std::uint32_t kRounds = 12;
  return {interleaved_round(Plan{}, kFewestRuns), method == ReadMethod::kAround ? 1 : kRounds};
}

}  // namespace assay

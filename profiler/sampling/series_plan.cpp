#include "profiler/sampling/series_plan.h"

#include <algorithm>
#include <cmath>

#include "profiler/support/statistics.h"

namespace assay {
namespace {

// With fewer runs at an alignment, outliers could not be told from the others.
constexpr int kFewestRuns = 4;
// With more runs, a round might have more kernels than the subject accepts.
constexpr int kMostRuns = 16;
constexpr double kMostRounds = 4;
// The time that so many copies take is off a straight line over the sizes by some cycles, always
// the same at one size (Zen 4 and 5: 2 to 5), and no number of runs at that size tells by how many.
constexpr double kOffLine = 2;  // cycles
// What it takes to go to another pair of alignments, with all that runs there and does not count,
// in runs that count at each of their sizes (Zen 5: 37 us, of which the subject's stop takes 10;
// and 1.6 us).
constexpr double kChange = 23;

/// The series of all alignments, with so many runs at each and so many rounds.
std::vector<SeriesPlan> series_of(const Plan& plan, int runs, double rounds) {
  std::vector<SeriesPlan> series;
  for (std::size_t first = 0; first < kAlignments; first += kAlignmentsInSeries) {
    series.push_back({interleaved_round(plan, runs, kAlignmentsInSeries, first),
                      static_cast<std::uint32_t>(std::clamp(rounds, 1.0, kMostRounds))});
  }
  return series;
}

/// How many cycles a copy takes, by the times of the smallest and the largest size.
double cycles_per_copy(const Plan& plan, const RunTimes& times) {
  return std::max((times.largest - times.smallest).count(), 0.0) / plan.added_copies().real();
}

/// The variances of what a copy is found to take, in those of a size's mean reading.
struct Weights {
  double of_value;       ///< of the cycles from the smallest to the largest size
  double of_difference;  ///< of those to the middle size less those from there on
};

Weights weights_of(const Plan& plan) {
  const auto per_copy = [&](std::size_t more, std::size_t less) {
    return 1 / (plan.copies(more) - plan.copies(less)).real();
  };
  const double all = per_copy(kLargestSize, kSmallestSize);
  const double first = per_copy(kMiddleSize, kSmallestSize);
  const double further = per_copy(kLargestSize, kMiddleSize);
  return {2 * all * all, first * first + std::pow(first + further, 2) + further * further};
}

}  // namespace

std::vector<SeriesPlan> plan_series(const Plan& plan, const RunTimes& times, double run_variance,
                                    std::size_t known, const Settings& settings,
                                    ReadMethod method) {
  if (method == ReadMethod::kAround) return series_of(plan, kFewestRuns, 1);
  constexpr std::size_t kSeries = kAlignments / kAlignmentsInSeries;
  const double student = student_quantile(kSeries - 1 + known);
  const double target =
      std::max(settings.target_relative * cycles_per_copy(plan, times), settings.target_cycles);
  // What the means of all readings at one size may vary by, for the value to be as sure as it is
  // aimed at; and for the difference between the first and the further copies to be found small
  // where it is none (steady_state()): that takes in the middle size twice.
  constexpr double kUnsteady = 3;  // in sampling targets
  const Weights weights = weights_of(plan);
  const double allowed =
      std::min(std::pow(target / student, 2) / weights.of_value,
               std::pow(kUnsteady * target / student, 2) / weights.of_difference);
  const double off_line = kOffLine * kOffLine;
  const double left = allowed * kAlignments - off_line;
  // If one pass is not enough, this many runs make the passes together the shortest: each pass has
  // sizes of its own.
  const double of_many_passes = std::sqrt(kChange * run_variance / off_line);
  const double wanted = left > 0 ? std::min(run_variance / left, of_many_passes) : of_many_passes;
  const int runs =
      static_cast<int>(std::clamp(std::ceil(wanted), double{kFewestRuns}, double{kMostRuns}));
  return series_of(plan, runs, std::ceil(wanted / runs));
}

double usual_run_variance(Cycles clock_step) {
  // The reserve is for the few cycles by which runs scatter themselves.
  constexpr double kReserve = 1.4;
  // Over all phases, the variance of a reading is a sixth of the step squared.
  return std::pow(kReserve * clock_step.count(), 2) / 6;
}

SeriesPlan calibration_series(ReadMethod method) {
  constexpr std::uint32_t kRounds = 12;
  return {interleaved_round(Plan{}, kFewestRuns), method == ReadMethod::kAround ? 1 : kRounds};
}

}  // namespace assay

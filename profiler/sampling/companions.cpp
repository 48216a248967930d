#include "profiler/sampling/companions.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "profiler/sampling/reference.h"
#include "profiler/support/error.h"
#include "profiler/support/statistics.h"

namespace assay {

std::string_view name(SeriesFate fate) {
  switch (fate) {
    case SeriesFate::kTaken:
      return "taken";
    case SeriesFate::kDisturbed:
      return "disturbed";
    case SeriesFate::kPreempted:
      return "preempted";
  }
  throw Error("a series' fate outside its enumeration");
}

CompanionReport Companions::judge(const Samples& samples, bool preempted) {
  // A few readings of a coarse clock are often all the same, but are no surer for that. Over all
  // phases of the clock, a single reading has a variance of a sixth of the step squared.
  const double least = step_.part.count() * step_.part.count() / 6;
  const auto reduce = [&](const Readings& readings) {
    SampleMean sample = robust_mean(readings, step_.whole);
    sample.variance = std::max(sample.variance, least / static_cast<double>(sample.kept));
    return sample;
  };
  const SampleMean reference_small = reduce(samples.reference[0]);
  const SampleMean reference_large = reduce(samples.reference[1]);
  const SampleMean canary_small = reduce(samples.canary[0]);
  const SampleMean canary_large = reduce(samples.canary[1]);

  CompanionReport report;
  const Reading reference = reference_large.mean - reference_small.mean;
  report.own_ratio = {kReferenceCycles, reference};
  // The canary is scaled by this series' own reference. If it were scaled by the latest series, a
  // change of the core's frequency would look like a neighbour, and the ratio would never learn of
  // it.
  const Reading canary = canary_large.mean - canary_small.mean;
  report.cycles_per_nop =
      (report.own_ratio * canary).count() / static_cast<double>(kCanaryDifference);
  canary_.learn(report.cycles_per_nop);
  const double error = std::sqrt(canary_small.variance + canary_large.variance) / canary.count();
  // A slowdown that is not a number counts as disturbed, since the comparison is false.
  const bool undisturbed =
      canary_.slowdown(report.cycles_per_nop) <= tolerated_slowdown_ + 2 * error;
  // An interrupt within the reference makes it scatter by more than the clock's step does. It must
  // not get into the ratio, by which other series are scaled too.
  constexpr double kErrors = 3;
  constexpr double kJitter = 0.002;  // of the reference, in single readings
  const double jitter = kJitter * reference.count();
  const auto usual_variance = [&](const SampleMean& sample) {
    return (least + jitter * jitter) / static_cast<double>(sample.kept);
  };
  const double usual = std::max(usual_variance(reference_small) + usual_variance(reference_large),
                                ratio_.usual_noise());
  const bool even = !ratio_.known() || reference_small.variance + reference_large.variance <=
                                           kErrors * kErrors * usual;
  if (preempted) {
    report.fate = SeriesFate::kPreempted;
  } else if (!undisturbed || !even) {
    report.fate = SeriesFate::kDisturbed;
  }
  // A disturbed core slows down the reference too, though less, so that the ratio does not learn
  // from it.
  if (report.fate == SeriesFate::kTaken || !ratio_.known()) {
    if (!ratio_.add(reference_small, reference_large)) report.fate = SeriesFate::kDisturbed;
  }
  report.ratio = ratio_.value();
  report.ratio_error = ratio_.relative_error();
  report.ratio_gain = ratio_.gain();
  if (report.fate == SeriesFate::kTaken) {
    latest_.push_back(report.cycles_per_nop);
    if (latest_.size() > kLatest) latest_.pop_front();
  }
  return report;
}

double Companions::tolerated_lately() const {
  constexpr std::size_t kFewest = 16;
  constexpr double kErrorOfMedian = 1.2533;  // in standard errors of the mean
  constexpr double kErrors = 2;
  if (latest_.size() < kFewest) return 0;
  std::vector<double> rates(latest_.begin(), latest_.end());
  const double rate = median_in_place(rates);
  for (double& each : rates) each = std::abs(each - rate);
  const double error = kErrorOfMedian * kDeviationOfNormal * median_in_place(rates) /
                       std::sqrt(static_cast<double>(rates.size()));
  const bool sure = canary_.slowdown(rate - kErrors * error) > canary_.peak_scatter();
  return sure ? canary_.slowdown(rate) - canary_.peak_scatter() : 0;
}

}  // namespace assay

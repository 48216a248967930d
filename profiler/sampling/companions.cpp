#include "profiler/sampling/companions.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "profiler/sampling/keep_latest.h"
#include "profiler/sampling/reference.h"
#include "profiler/support/error.h"
#include "profiler/support/statistics.h"

namespace assay {
namespace {

/// The larger canary's readings but for those that no neighbour can be the cause of, as none takes
/// more than two thirds of a core: interrupts. What is far off otherwise is what the canary is for.
Readings without_interrupts(const Readings& large, const Readings& small) {
  constexpr double kMost = 3;  // in the time that the copies between the sizes take usually
  const auto median_of = [](const Readings& readings) {
    return median({readings.begin(), readings.end()});
  };
  const double center = median_of(large);
  const double most = center + (kMost - 1) * std::max(center - median_of(small), 0.0);
  Readings left;
  std::ranges::copy_if(large, std::back_inserter(left),
                       [&](std::uint32_t reading) { return reading <= most; });
  return left;
}

}  // namespace

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

/// Learns how readings of the canary scatter within a series, and returns what is usual of late:
/// the lower quartile, since a visitor who comes and goes makes them scatter too, and must not
/// widen what is tolerated of him.
double Companions::usual_scatter(const SampleMean& canary) {
  if (canary.kept > 1) {
    keep_latest(latest_scatter_, canary.variance * static_cast<double>(canary.kept), kLatest);
    if (++unsorted_ >= kRefresh || latest_scatter_.size() < kLatest) {
      unsorted_ = 0;
      std::vector<double> sorted(latest_scatter_.begin(), latest_scatter_.end());
      const auto quarter = sorted.begin() + std::ssize(sorted) / 4;
      std::ranges::nth_element(sorted, quarter);
      usual_scatter_ = *quarter;
    }
  }
  return usual_scatter_;
}

CompanionReport Companions::judge(const Samples& samples, bool preempted) {
  // A few readings of a coarse clock are often all the same, but are no surer for that. Over all
  // phases of the clock, a single reading has a variance of a sixth of the step squared.
  const double least = step_.part.count() * step_.part.count() / 6;
  const auto no_surer_than_one_step = [&](SampleMean sample) {
    sample.variance = std::max(sample.variance, least / static_cast<double>(sample.kept));
    return sample;
  };
  const auto reduce = [&](const Readings& readings) {
    return no_surer_than_one_step(robust_mean(readings, step_.whole));
  };
  const SampleMean reference_small = reduce(samples.reference[kSmall]);
  const SampleMean reference_large = reduce(samples.reference[kLarge]);
  const SampleMean canary_small = reduce(samples.canary[kSmall]);
  const SampleMean canary_large = no_surer_than_one_step(
      plain_mean(without_interrupts(samples.canary[kLarge], samples.canary[kSmall])));

  CompanionReport report;
  const Reading reference = reference_large.mean - reference_small.mean;
  report.own_ratio = {kReferenceCycles, reference};
  // The canary is scaled by this series' own reference. If it were scaled by the latest series, a
  // change of the core's frequency would look like a neighbour, and the ratio would never learn of
  // it.
  const Reading canary = canary_large.mean - canary_small.mean;
  report.cycles_per_nop =
      (report.own_ratio * canary).count() / static_cast<double>(kCanaryDifference);
  // Where the core itself slows the chain down and not the canary, as some do while they get ready
  // for wide vectors (Granite Rapids: threefold), the canary seems faster than it ever is.
  constexpr double kFar = 0.1;
  const bool near =
      !ratio_.known() || std::abs(report.own_ratio.value() / ratio_.value().value() - 1) <= kFar;
  if (near) canary_.learn(report.cycles_per_nop);
  const double scatter = usual_scatter(canary_large);
  const auto usual_variance_of = [&](const SampleMean& sample) {
    return std::min(sample.variance, scatter / static_cast<double>(sample.kept));
  };
  const double error =
      std::sqrt(usual_variance_of(canary_small) + usual_variance_of(canary_large)) / canary.count();
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
    ++series_taken_;
    keep_latest(latest_, report.cycles_per_nop, kLatest);
    if (++unlearned_ >= kRefresh || latest_.size() < kLatest) {
      unlearned_ = 0;
      learn_what_is_tolerated();
    }
  }
  return report;
}

void Companions::learn_what_is_tolerated() {
  constexpr std::size_t kFewest = 16;
  constexpr double kErrorOfMedian = 1.2533;  // in standard errors of the mean
  constexpr double kErrors = 2;
  if (latest_.size() < kFewest) return;
  std::vector<double> rates(latest_.begin(), latest_.end());
  const double rate = median_in_place(rates);
  for (double& each : rates) each = std::abs(each - rate);
  const double error = kErrorOfMedian * kDeviationOfNormal * median_in_place(rates) /
                       std::sqrt(static_cast<double>(rates.size()));
  const bool sure = canary_.slowdown(rate - kErrors * error) > canary_.peak_scatter();
  tolerated_lately_ = sure ? canary_.slowdown(rate) - canary_.peak_scatter() : 0;
}

}  // namespace assay

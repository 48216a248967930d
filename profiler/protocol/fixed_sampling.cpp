#include "profiler/protocol/fixed_sampling.h"

#include <fmt/format.h>

#include <algorithm>

#include "profiler/support/statistics.h"

namespace assay {
namespace {

/// Appends readings, but keeps no more than `wanted`.
void append(std::vector<double>& readings, const Readings& more, std::size_t wanted) {
  readings.insert(readings.end(), more.begin(), more.end());
  readings.resize(std::min(readings.size(), wanted));
}

Reading mean_of(const Readings& readings) {
  return Reading(mean(std::vector<double>(readings.begin(), readings.end())));
}

/// The mean of a function over the series that were taken.
template <typename Function>
double mean_of_taken(std::span<const SeriesPoint> points, Function function) {
  std::vector<double> values;
  for (const SeriesPoint& point : points) {
    if (point.fate == SeriesFate::kTaken) values.push_back(function(point));
  }
  return mean(values);
}

}  // namespace

FixedSampling::FixedSampling(const FixedRecipe& recipe, std::uint32_t rounds,
                             const FixedScale& scale, double floor, Companions& companions,
                             double accept_slowdown)
    : recipe_(recipe),
      series_{pair_round(recipe.warm_ups), rounds},
      scale_(scale),
      floor_(floor),
      companions_(companions),
      accept_slowdown_(accept_slowdown) {}

std::size_t FixedSampling::wanted() const {
  return static_cast<std::size_t>(recipe_.runs) * static_cast<std::size_t>(recipe_.repetitions);
}

SeriesFate FixedSampling::add_series(const SampledSeries& series) {
  if (series.readings.empty()) {
    points_.push_back({.fate = SeriesFate::kPreempted});
    return SeriesFate::kPreempted;
  }
  const Samples samples = samples_of(series_.round, series.readings);
  const SeriesPoint next = point(samples, companions_.judge(samples, series.preempted));
  points_.push_back(next);
  if (next.fate == SeriesFate::kTaken) {
    append(readings_.small, samples.block[kSmall], wanted());
    append(readings_.large, samples.block[kLarge], wanted());
  }
  return next.fate;
}

SeriesPoint FixedSampling::point(const Samples& samples, const CompanionReport& report) const {
  const Readings& small = samples.block[kSmall];
  const Readings& large = samples.block[kLarge];
  SeriesPoint point;
  point.fate = report.fate;
  point.cycles =
      (report.ratio * (mean_of(large) - mean_of(small))).count() / scale_.added_copies().real();
  point.first_cycles = point.cycles;
  point.cycles_per_nop = report.cycles_per_nop;
  point.ratio = report.ratio;
  point.kept = std::ssize(small) + std::ssize(large);
  return point;
}

std::optional<SamplingEnd> FixedSampling::end(std::chrono::nanoseconds) const {
  if (!complete()) return std::nullopt;
  return SamplingEnd::kEnough;
}

bool FixedSampling::start_over() {
  if (!complete() || slowdown() <= accept_slowdown_) return false;
  readings_ = {};
  for (SeriesPoint& point : points_) {
    if (point.fate == SeriesFate::kTaken) point.fate = SeriesFate::kDisturbed;
  }
  return true;
}

FixedEstimate FixedSampling::estimate() const {
  FixedEstimate found = reduce(recipe_, readings_, scale());
  for (const SeriesPoint& point : points_) {
    if (point.fate != SeriesFate::kTaken) found.timed.dropped += point.kept;
  }
  return found;
}

std::optional<Evaluation> FixedSampling::evaluate() const {
  if (!complete()) return std::nullopt;
  const FixedEstimate found = estimate();
  const auto taken =
      static_cast<int>(std::ranges::count(points_, SeriesFate::kTaken, &SeriesPoint::fate));
  const int left_out = static_cast<int>(points_.size()) - taken;
  return Evaluation{found.estimate, found.timed, std::nullopt, ratio(),
                    slowdown(),     taken,       left_out};
}

Outcome FixedSampling::judge(const Evaluation&) const {
  return judge_fixed(recipe_, scale(), estimate(), floor_);
}

Outcome FixedSampling::judge_too_few() const {
  return {Reason::kInterference, fmt::format("no {} undisturbed runs of each size", wanted())};
}

FixedScale FixedSampling::scale() const {
  FixedScale scale = scale_;
  scale.ratio = ratio();
  scale.ratio_error = companions_.ratio().relative_error();
  return scale;
}

CyclesPerReading FixedSampling::ratio() const {
  return CyclesPerReading(
      mean_of_taken(points_, [](const SeriesPoint& point) { return point.ratio.value(); }));
}

double FixedSampling::slowdown() const {
  return companions_.slowdown(
      mean_of_taken(points_, [](const SeriesPoint& point) { return point.cycles_per_nop; }));
}

std::uint32_t fixed_rounds(const FixedRecipe& recipe, Cycles large) {
  constexpr double kFewest = 2;
  constexpr double kMost = 16;
  constexpr Cycles kLongSeries(20e6);  // takes some milliseconds
  constexpr double kSizes = 1.5;       // a run of both sizes, in terms of the larger size
  const Cycles round = large * ((recipe.warm_ups + 1) * kSizes);
  return static_cast<std::uint32_t>(std::clamp(kLongSeries / round, kFewest, kMost));
}

}  // namespace assay

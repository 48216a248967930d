#include "profiler/protocol/fixed_sampling.h"

#include <algorithm>
#include <utility>

namespace assay {
namespace {

void append(std::vector<double>& readings, const std::vector<std::uint32_t>& more,
            std::size_t wanted) {
  readings.insert(readings.end(), more.begin(), more.end());
  readings.resize(std::min(readings.size(), wanted));
}

double mean(const std::vector<std::uint32_t>& readings) {
  return aggregated(Aggregate::kMean, {readings.begin(), readings.end()});
}

}  // namespace

std::size_t FixedSampling::wanted() const {
  return static_cast<std::size_t>(protocol_.runs) * static_cast<std::size_t>(protocol_.repetitions);
}

SeriesFate FixedSampling::add_series(std::span<const std::uint32_t> readings, bool preempted) {
  if (readings.empty()) {
    points_.push_back({.fate = SeriesFate::kPreempted});
    return SeriesFate::kPreempted;
  }
  const Samples samples = by_slot(round_, readings);
  const SeriesPoint next = point(samples, companions_.judge(samples, preempted));
  points_.push_back(next);
  if (next.fate == SeriesFate::kTaken) {
    append(readings_.small, samples[static_cast<std::size_t>(Slot::kHalf)], wanted());
    append(readings_.large, samples[static_cast<std::size_t>(Slot::kFull)], wanted());
  }
  return next.fate;
}

SeriesPoint FixedSampling::point(const Samples& samples, const CompanionReport& report) const {
  const auto& small = samples[static_cast<std::size_t>(Slot::kHalf)];
  const auto& large = samples[static_cast<std::size_t>(Slot::kFull)];
  SeriesPoint point;
  point.fate = report.fate;
  point.cycles = (mean(large) - mean(small)) * report.ratio / scale_.added_copies();
  point.near_cycles = point.cycles;
  point.far_cycles = point.cycles;
  point.cycles_per_addition = report.cycles_per_addition;
  point.ratio = report.ratio;
  point.kept = static_cast<std::int64_t>(small.size() + large.size());
  return point;
}

SamplingEnd FixedSampling::run(const Sampler::Environment& environment,
                               Sampler::Nanoseconds patience, double accept_slowdown) {
  Sampler::Nanoseconds waited{};
  Sampler::Nanoseconds spent{};
  while (waited < patience) {
    const Sampler::Time start = environment.now();
    SampledSeries series = environment.source();
    if (series.fault) {
      fault_ = std::move(series.fault);
      return SamplingEnd::kFault;
    }
    const SeriesFate fate = add_series(series.readings, series.preempted);
    (fate == SeriesFate::kTaken ? spent : waited) += environment.now() - start;
    if (fate != SeriesFate::kTaken) environment.waiting(waited);
    if (complete()) {
      if (slowdown() <= accept_slowdown) return SamplingEnd::kEnough;
      leave_out_all();
      waited += std::exchange(spent, {});
      environment.waiting(waited);
    }
  }
  return SamplingEnd::kPatience;
}

void FixedSampling::leave_out_all() {
  readings_ = {};
  for (SeriesPoint& point : points_) {
    if (point.fate == SeriesFate::kTaken) point.fate = SeriesFate::kDisturbed;
  }
}

FixedEstimate FixedSampling::estimate() const {
  FixedEstimate found = reduce(protocol_, readings_, scale());
  for (const SeriesPoint& point : points_) {
    if (point.fate != SeriesFate::kTaken) found.estimate.dropped += point.kept;
  }
  return found;
}

FixedScale FixedSampling::scale() const {
  FixedScale scale = scale_;
  scale.cycles_per_tick = core_cycles_per_tick();
  scale.ratio_error = companions_.ratio_error();
  return scale;
}

double FixedSampling::core_cycles_per_tick() const {
  std::vector<double> ratios;
  for (const SeriesPoint& point : points_) {
    if (point.fate == SeriesFate::kTaken) ratios.push_back(point.ratio);
  }
  return aggregated(Aggregate::kMean, std::move(ratios));
}

double FixedSampling::slowdown() const {
  std::vector<double> rates;
  for (const SeriesPoint& point : points_) {
    if (point.fate == SeriesFate::kTaken) rates.push_back(point.cycles_per_addition);
  }
  return companions_.slowdown(aggregated(Aggregate::kMean, std::move(rates)));
}

std::uint32_t fixed_rounds(const FixedProtocol& protocol, double full_cycles) {
  constexpr double kFewest = 2;
  constexpr double kMost = 16;
  constexpr double kLongSeries = 20e6;  // core cycles: some milliseconds
  constexpr double kSizes = 1.5;        // both together, of the larger
  const double round = (protocol.warm_ups + 1) * kSizes * full_cycles;
  return static_cast<std::uint32_t>(std::clamp(kLongSeries / round, kFewest, kMost));
}

}  // namespace assay

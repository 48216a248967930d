#include <fmt/format.h>

#include <chrono>

#include "profiler/protocol/fixed_sampling.h"
#include "profiler/protocol/judge.h"
#include "profiler/protocol/profiler.h"

namespace assay {

/// A prepared block under a fixed protocol, from sampling on. None of these protocols asks whether
/// the copies are in a steady state.
std::optional<subject::Fault> Profiler::run_fixed(LoadedBlock& loaded, Stage last,
                                                  Attempt& attempt) {
  Measurement& measurement = attempt.measurement;
  const FixedProtocol& protocol = fixed_.value();
  const FixedScale expected =
      fixed_scale(attempt.plan, clock_.granularity, ratio_.cycles_per_tick());
  if (last == Stage::kJudge && !clock_may_be_fine(protocol, expected)) {
    measurement.outcome = {Reason::kClockTooCoarse, describe_coarse_clock(protocol, expected, 0)};
    return std::nullopt;
  }
  FixedSampling sampling(protocol, expected,
                         Companions(workbench_.step(), canary_, ratio_, settings_.series_slowdown));
  const SeriesPlan series = {sampling.round(), fixed_rounds(protocol, attempt.times.full)};
  const SamplingEnd end = sampling.run(
      {[&] { return loaded.sample(series); }, std::chrono::steady_clock::now, waiting_}, patience(),
      settings_.accept_slowdown);
  note_sampling(end, sampling.points());
  note_points(attempt, sampling.points());
  if (end == SamplingEnd::kFault) return sampling.fault();
  measurement.pages = workbench_.subject().pages();
  if (last == Stage::kSample) return std::nullopt;
  if (end == SamplingEnd::kPatience) {
    measurement.outcome = {Reason::kInterference,
                           fmt::format("no {} undisturbed runs of each size",
                                       std::int64_t{protocol.runs} * protocol.repetitions)};
    return std::nullopt;
  }
  const FixedEstimate found = sampling.estimate();
  const FixedScale scale = sampling.scale();
  measurement.estimate = found.estimate;
  core_cycles_per_tick_ = scale.cycles_per_tick * workbench_.stamps();
  attempt.slowdown = sampling.slowdown();
  attempt.floor = floor_of(attempt.plan, loaded.block(), *limits_);
  if (last == Stage::kJudge) judge_fixed(measurement, protocol, scale, found, attempt.floor);
  return std::nullopt;
}

}  // namespace assay

#include <fmt/format.h>

#include <algorithm>

#include "profiler/protocol/event_tally.h"
#include "profiler/protocol/judge.h"
#include "profiler/protocol/profiler.h"

namespace assay {
namespace {

constexpr int kTurns = 6;             // of each size in a round
constexpr std::uint32_t kRounds = 4;  // in a series
constexpr int kSeries = 8;
constexpr int kMostSeries = 64;  // with those that were lost with the core

SeriesPlan counting_series(ReadMethod method) {
  if (method == ReadMethod::kAround) return {counting_round(1), 1};
  return {counting_round(kTurns), kRounds};
}

/// The block's smallest and its largest size, and no copies at all: what frames them.
Plan counting_plan(const Plan& plan) {
  Plan counting = plan;
  counting.sizes = {0, plan.sizes.front(), plan.sizes.back()};
  return counting;
}

double added_copies(const Plan& plan) {
  return static_cast<double>((plan.sizes.back() - plan.sizes.front()) * plan.body_copies);
}

}  // namespace

/// Counts the events, pass by pass, behind the timed runs and not in them: reading counters takes
/// time. A block that would be measured is rejected for events that it must not cause.
std::optional<subject::Fault> Profiler::count_events(LoadedBlock& loaded, Attempt& attempt) {
  Measurement& outcome = attempt.outcome;
  std::vector<Growth> growths;
  std::size_t request = 0;  // passes count events in the order in which they were asked for
  for (std::size_t group = 1; group < workbench_.groups(); ++group) {
    if (const auto refusal = loaded.load(counting_plan(attempt.plan), 1, group)) {
      attempt.events_left_out += fmt::format("pass {}: {}; ", group, refusal->detail);
      request += workbench_.group(group).names().size() - 1;
      continue;
    }
    const CounterGroup& counters = workbench_.group(group);
    EventTally tally({counters.names().begin(), counters.names().end()}, added_copies(attempt.plan),
                     static_cast<int>(group));
    const SeriesPlan plan = counting_series(counters.method());
    for (int i = 0; i < kMostSeries && tally.series() < kSeries; ++i) {
      const subject::SeriesResult series = loaded.run(plan.round, plan.rounds);
      if (series.fault) return series.fault;
      if (!series.readings.empty() && !series.preempted) {
        tally.add_series(plan.round, series.readings);
      }
    }
    if (tally.series() < kFewestSeries) {
      if (outcome.verdict != Verdict::kMeasured) return std::nullopt;
      settle(
          outcome, Reason::kInterference,
          fmt::format("{} undisturbed series of {} to count events in", tally.series(), kSeries));
      return std::nullopt;
    }
    for (std::size_t i = 0; EventCount & count : tally.counts()) {
      const auto validating = std::ranges::find(validation_, requests_.at(request).specification,
                                                &ValidationEvent::specification);
      count.validates = validating != validation_.end();
      if (count.validates) growths.push_back({validating->reason, count.name, tally.growth(i)});
      outcome.events.push_back(std::move(count));
      ++i;
      ++request;
    }
  }
  if (outcome.verdict != Verdict::kMeasured) return std::nullopt;
  const auto failure =
      validate(growths, added_instructions(loaded.block(), attempt.plan), outcome.traits);
  if (failure) settle(outcome, failure->reason, failure->detail);
  return std::nullopt;
}

}  // namespace assay

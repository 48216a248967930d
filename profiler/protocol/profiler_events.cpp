#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "profiler/counting/pass_counting.h"
#include "profiler/protocol/judge.h"
#include "profiler/protocol/profiler.h"

namespace assay {
namespace {

/// Whether a pass saw the block that was timed: a neighbour that came meanwhile, or a counter that
/// a host took away from its guest, shows in its cycles. A pass runs at one place, and some blocks
/// take a few per cent more time at one place than at another.
bool is_like(const EventCount& pass_cycles, const Estimate& estimate) {
  constexpr double kShare = 0.1;
  // Written so that what is not a number is unlike.
  return pass_cycles.per_copy > 0 &&
         std::abs(pass_cycles.per_copy - estimate.cycles) <=
             kShare * estimate.cycles + pass_cycles.half_width + estimate.half_width;
}

}  // namespace

/// Counts the events of a group; again if the block took another time than when it was timed.
Profiler::Pass Profiler::run_pass(LoadedBlock& loaded, const Plan& plan, const Estimate& estimate,
                                  std::size_t group) {
  constexpr int kTries = 3;
  if (auto refusal = loaded.load(counting_plan(plan), 1, group))
    return {{}, {}, refusal->detail, false};
  std::string left_out;
  for (int i = 0; i < kTries; ++i) {
    PassCounts counts = count_pass(loaded, workbench_.group(group), plan, static_cast<int>(group));
    if (counts.fault) return {std::move(counts.fault), {}, "", false};
    if (!counts.complete) {
      left_out = "the core was lost too often";
      continue;
    }
    const EventCount cycles = counts.tally.cycles();
    if (is_like(cycles, estimate)) return {{}, std::move(counts.tally), "", false};
    left_out = fmt::format("a copy took {:.3f} cycles in it, and {:.3f} when it was timed",
                           cycles.per_copy, estimate.cycles);
  }
  return {{}, {}, std::move(left_out), true};
}

/// Counts the events, pass by pass, behind the timed runs and not in them: reading counters takes
/// time. A block that would be measured is rejected for events that it must not cause, and as
/// disturbed if a pass was disturbed each time.
std::optional<subject::Fault> Profiler::count_events(LoadedBlock& loaded, Attempt& attempt) {
  Measurement& measurement = attempt.measurement;
  const Estimate estimate = measurement.estimate.value();
  std::vector<Growth> growths;
  std::size_t request = 0;  // passes count events in the order in which they were asked for
  for (std::size_t group = 1; group < workbench_.groups(); ++group) {
    const std::size_t events = workbench_.group(group).names().size() - 1;
    Pass pass = run_pass(loaded, attempt.plan, estimate, group);
    if (pass.fault) return pass.fault;
    const std::vector<EventCount> counts =
        pass.tally ? pass.tally->counts() : std::vector<EventCount>{};
    for (std::size_t i = 0; i < events; ++i, ++request) {
      if (counts.empty()) continue;
      EventCount count = counts[i];
      const ValidationEvent* const validating = validation_of_request(request);
      count.validates = validating != nullptr;
      if (validating) growths.push_back({validating->reason, count.name, pass.tally->growth(i)});
      if (validating || request < settings_.events.size()) measurement.events.push_back(count);
    }
    if (pass.tally) continue;
    attempt.events_left_out += fmt::format("pass {}: {}; ", group, pass.left_out);
    if (pass.disturbed && measurement.outcome.measured()) {
      measurement.outcome = {Reason::kInterference,
                             fmt::format("in pass {} of its events: {}", group, pass.left_out)};
    }
  }
  if (!measurement.outcome.measured()) return std::nullopt;
  const auto failure = validate(growths, added_instructions(loaded.block(), attempt.plan),
                                measurement.traits, measurement.notion);
  if (failure) measurement.outcome = *failure;
  return std::nullopt;
}

const ValidationEvent* Profiler::validation_of_request(std::size_t request) const {
  const auto found = std::ranges::find_if(validation_, [&](const ValidationEvent& event) {
    return event.specification == requests_.at(request).validates;
  });
  return found == validation_.end() ? nullptr : &*found;
}

/// Distrusts the validation events that blocks cause which surely do not miss anything: their codes
/// are from lists, and most have been tested on no CPU. A busy core is given three tries.
void Profiler::test_validation() {
  constexpr int kTries = 3;
  for (const Bytes& bytes : steady_blocks()) {
    for (const Notion notion : {Notion::kUnrolled, Notion::kLooped}) {
      std::vector<std::string> suspects = caused_events(bytes, notion);
      for (int i = 1; i < kTries && !suspects.empty(); ++i) {
        const std::vector<std::string> again = caused_events(bytes, notion);
        std::erase_if(suspects, [&](const std::string& suspect) {
          return std::ranges::find(again, suspect) == again.end();
        });
      }
      for (const std::string& suspect : suspects) {
        std::erase_if(validation_,
                      [&](const ValidationEvent& event) { return event.specification == suspect; });
        distrusted_.push_back(suspect);
      }
    }
  }
}

/// Specifications of the validation events that would reject the block.
std::vector<std::string> Profiler::caused_events(const Bytes& bytes, Notion notion) {
  const Block block = std::get<Block>(decode(bytes));
  const InitialState state = distinct_initial_state();
  const auto plan = std::get<Plan>(make_plan(block, notion, settings_, cache_size_));
  LoadedBlock loaded(workbench_, block, state, limits());
  workbench_.subject().unmap_all();
  std::vector<std::string> caused;
  if (loaded.load(plan, 1) || loaded.prepare().fault) return caused;
  std::size_t request = 0;
  for (std::size_t group = 1; group < workbench_.groups(); ++group) {
    const CounterGroup& counters = workbench_.group(group);
    const std::size_t events = counters.names().size() - 1;
    if (loaded.load(counting_plan(plan), 1, group)) return caused;
    const PassCounts counts = count_pass(loaded, counters, plan, static_cast<int>(group));
    for (std::size_t i = 0; i < events; ++i, ++request) {
      const ValidationEvent* const event = validation_of_request(request);
      if (!event || !counts.complete) continue;
      const Growth growth = {event->reason, requests_[request].request.name,
                             counts.tally.growth(i)};
      if (validate({&growth, 1}, added_instructions(block, plan), {}, notion)) {
        caused.emplace_back(event->specification);
      }
    }
  }
  return caused;
}

}  // namespace assay

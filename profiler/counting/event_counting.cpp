#include "profiler/counting/event_counting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "profiler/codegen/initial_state.h"
#include "profiler/counting/pass_counting.h"
#include "profiler/counting/validation.h"
#include "profiler/machine/identity.h"
#include "profiler/support/error.h"

namespace assay {
namespace {

constexpr int kTries = 3;

/// Whether a pass saw the block take the time that it took when it was timed. A neighbour that came
/// meanwhile, or a counter that a host took away from its guest, shows in the pass's cycles. The
/// share allows for alignment: a pass runs with one alignment of the code, and some blocks take a
/// few per cent more time with one than with another.
bool is_like(const EventCount& pass_cycles, const Estimate& estimate) {
  constexpr double kShare = 0.1;
  // The comparison is false for what is not a number.
  return pass_cycles.per_copy > 0 &&
         std::abs(pass_cycles.per_copy - estimate.cycles) <=
             kShare * estimate.cycles + pass_cycles.half_width + estimate.half_width;
}

std::vector<ValidationEvent> validation_here(
    const Settings& settings, CounterBackend& backend, int processor,
    std::optional<std::span<const ValidationEvent>> given) {
  if (!settings.validation) return {};
  return countable(backend, processor,
                   given ? *given : validation_events(identify_machine().microarchitecture));
}

}  // namespace

/// What came of one of the block's passes. If there is neither a fault nor a tally, `left_out` says
/// why.
struct EventCounting::Pass {
  std::optional<subject::Fault> fault;
  std::optional<EventTally> tally;
  std::string left_out;
  bool disturbed = false;  ///< whether another try later may succeed
};

EventCounting::EventCounting(const Settings& settings, CounterBackend& backend, int processor,
                             std::optional<std::span<const ValidationEvent>> validation)
    : asked_for_(settings.events.size()),
      validation_(validation_here(settings, backend, processor, validation)) {
  for (const EventRequest& event : settings.events) requests_.push_back({event, ""});
  for (const ValidationEvent& event : validation_) {
    const std::string specification(event.specification);
    const EventRequest own = {specification, specification, false};
    const auto same = std::ranges::find_if(
        requests_, [&](const Request& other) { return backend.same_event(own, other.event); });
    if (same == requests_.end()) {
      requests_.push_back({own, specification});
      // An event that the user asks for too is not counted twice.
    } else {
      same->validates = specification;
    }
  }
}

std::vector<EventRequest> EventCounting::requests() const {
  std::vector<EventRequest> events;
  for (const Request& request : requests_) events.push_back(request.event);
  return events;
}

void EventCounting::check_names(const Workbench& workbench) {
  std::set<std::string> names;
  for (std::size_t i = 1; i < workbench.groups(); ++i) {
    for (const std::string& name : workbench.group(i).names().subspan(1)) {
      if (names.insert(name).second) continue;
      throw InputError(
          fmt::format("two events are called '{}': give one of them another name "
                      "(cpu/...,name=OTHER/)",
                      name));
    }
  }
}

/// Counts the events of a group, and tries again if the block took another time than when it was
/// timed.
EventCounting::Pass EventCounting::run_pass(const Workbench& workbench, LoadedBlock& loaded,
                                            const Plan& plan, const Estimate& estimate,
                                            std::size_t group) {
  if (auto refusal = loaded.load(counting_plan(plan), 1, group)) {
    return {{}, {}, refusal->detail, false};
  }
  std::string left_out;
  for (int i = 0; i < kTries; ++i) {
    PassCounts counts = count_pass(loaded, workbench.group(group), plan, static_cast<int>(group));
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

EventCounting::Counts EventCounting::count(const Workbench& workbench, LoadedBlock& loaded,
                                           const Plan& plan, const Estimate& estimate,
                                           Traits traits) const {
  Counts result;
  std::vector<Growth> growths;
  std::size_t request = 0;  // passes count the events in the order of requests_
  for (std::size_t group = 1; group < workbench.groups(); ++group) {
    const std::size_t events = workbench.group(group).names().size() - 1;
    Pass pass = run_pass(workbench, loaded, plan, estimate, group);
    if (pass.fault) {
      result.fault = std::move(pass.fault);
      return result;
    }
    const std::vector<EventCount> counts =
        pass.tally ? pass.tally->counts() : std::vector<EventCount>{};
    for (std::size_t i = 0; i < events; ++i, ++request) {
      if (counts.empty()) continue;
      EventCount count = counts[i];
      const ValidationEvent* const validating = validation_of(request);
      count.validates = validating != nullptr;
      if (validating) growths.push_back({validating->reason, count.name, pass.tally->growth(i)});
      if (validating || request < asked_for_) result.events.push_back(count);
    }
    if (pass.tally) continue;
    result.left_out += fmt::format("pass {}: {}; ", group, pass.left_out);
    if (pass.disturbed && !result.outcome) {
      result.outcome = {Reason::kInterference,
                        fmt::format("in pass {} of its events: {}", group, pass.left_out)};
    }
  }
  if (!result.outcome) {
    result.outcome =
        validate(growths, added_instructions(loaded.block(), plan), traits, plan.notion);
  }
  return result;
}

const ValidationEvent* EventCounting::validation_of(std::size_t request) const {
  const auto found = std::ranges::find(validation_, requests_.at(request).validates,
                                       &ValidationEvent::specification);
  return found == validation_.end() ? nullptr : &*found;
}

void EventCounting::test_validation(Workbench& workbench, const subject::Limits& limits,
                                    const MakePlan& make_plan) {
  if (validation_.empty()) return;
  for (const Bytes& bytes : steady_blocks()) {
    const Block block = std::get<Block>(decode(bytes));
    for (const Notion notion : {Notion::kUnrolled, Notion::kLooped}) {
      const Plan plan = make_plan(block, notion);
      // Suspects are the events that are caused in every one of the tries.
      const auto caused = [&] {
        return workbench.outlive_kills(
            [&] { return caused_events(workbench, limits, block, plan); });
      };
      std::vector<std::string> suspects = caused();
      for (int i = 1; i < kTries && !suspects.empty(); ++i) {
        const std::vector<std::string> again = caused();
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

/// The specifications of the validation events for which the block would be rejected.
std::vector<std::string> EventCounting::caused_events(Workbench& workbench,
                                                      const subject::Limits& limits,
                                                      const Block& block, const Plan& plan) const {
  const InitialState state = distinct_initial_state();
  LoadedBlock loaded(workbench, block, state, limits);
  workbench.subject().unmap_all();
  std::vector<std::string> caused;
  if (loaded.load(plan, 1) || loaded.prepare().fault) return caused;
  std::size_t request = 0;
  for (std::size_t group = 1; group < workbench.groups(); ++group) {
    const CounterGroup& counters = workbench.group(group);
    const std::size_t events = counters.names().size() - 1;
    if (loaded.load(counting_plan(plan), 1, group)) return caused;
    const PassCounts counts = count_pass(loaded, counters, plan, static_cast<int>(group));
    for (std::size_t i = 0; i < events; ++i, ++request) {
      const ValidationEvent* const event = validation_of(request);
      if (!event || !counts.complete) continue;
      const Growth growth = {event->reason, requests_[request].event.name, counts.tally.growth(i)};
      if (validate({&growth, 1}, added_instructions(block, plan), {}, plan.notion)) {
        caused.emplace_back(event->specification);
      }
    }
  }
  return caused;
}

}  // namespace assay

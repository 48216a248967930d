#include "profiler/protocol/visits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>

#include "profiler/protocol/floor_check.h"
#include "profiler/sampling/estimate.h"
#include "profiler/support/counted.h"
#include "profiler/support/statistics.h"

namespace assay {
namespace {

constexpr double kRelative = 0.01;  // of a value: half-widths that are accepted
constexpr double kCycles = 0.01;    // likewise, in cycles

/// Whether what a visit found says something about the block.
bool shows_the_block(const Measurement& visit) {
  return visit.outcome.reason != Reason::kInterference;
}

/// Whether a value that `agreeing` visits found is a block's, of which `values` found any.
bool is_usual(std::int64_t agreeing, std::int64_t values) {
  return agreeing >= 3 && 4 * agreeing >= 3 * values;
}

/// Whether estimates, which are ascending, are alike, each to the next greater one.
bool are_alike(std::span<const Estimate> estimates) {
  return std::ranges::adjacent_find(estimates, std::not_fn(alike)) == estimates.end();
}

std::string text_of(const Estimate& estimate) {
  return fmt::format("{:.3f} +- {:.3f}", estimate.cycles, estimate.half_width);
}

Estimate mean_of(std::span<const Estimate> estimates) {
  std::vector<MeanInterval> values;
  for (const auto& [cycles, half_width] : estimates) values.push_back({cycles, half_width});
  const MeanInterval mean = mean_of_intervals(values);
  return {.cycles = mean.mean, .half_width = mean.half_width};
}

}  // namespace

/// Visits whose values are alike, each to the next greater one.
struct Visits::Group {
  std::vector<const Measurement*> visits;

  const Measurement& latest() const {
    return **std::ranges::max_element(visits, std::ranges::less{});
  }

  Estimate estimate() const {
    std::vector<Estimate> estimates;
    for (const Measurement* visit : visits) estimates.push_back(*visit->estimate);
    return mean_of(estimates);
  }

  TimedRuns timed() const {
    TimedRuns timed;
    for (const Measurement* visit : visits) {
      timed.runs += visit->timed.runs;
      timed.dropped += visit->timed.dropped;
    }
    return timed;
  }

  /// The values that they found at places, by offset.
  std::map<std::int64_t, std::vector<Estimate>> by_offset() const {
    std::map<std::int64_t, std::vector<Estimate>> by_offset;
    for (const Measurement* visit : visits) {
      for (const auto& [offset, cycles, half_width] : visit->placements) {
        by_offset[offset].push_back({cycles, half_width});
      }
    }
    for (auto& [offset, estimates] : by_offset) {
      std::ranges::sort(estimates, {}, &Estimate::cycles);
    }
    return by_offset;
  }

  /// Whether straight-line code takes the same at each place in all visits: the mean over places
  /// may be the same by chance.
  bool places_agree() const {
    if (latest().notion == Notion::kLooped) return true;
    return std::ranges::all_of(by_offset(), [](const auto& at) { return are_alike(at.second); });
  }

  /// What they found at other places: where two found a value, all values are alike, and their mean
  /// is as sure as that of a block has to be. Of straight-line code, whose value is the mean over
  /// all places, all of them or none.
  std::vector<CodePlacement> placements() const {
    std::vector<CodePlacement> placements;
    const auto found = by_offset();
    for (const auto& [offset, estimates] : found) {
      if (estimates.size() < 2 || !are_alike(estimates)) continue;
      const Estimate mean = mean_of(estimates);
      if (!is_narrow(mean, kRelative, kCycles)) continue;
      placements.push_back({offset, mean.cycles, mean.half_width});
    }
    if (latest().notion == Notion::kUnrolled && placements.size() < found.size()) return {};
    return placements;
  }
};

void Visits::add(const Measurement& visit) {
  const bool doubtful = visit.outcome.measured() && std::ranges::any_of(visits_, shows_the_block);
  const bool disturbed_again =
      !visits_.empty() && !shows_the_block(visits_.back()) && !shows_the_block(visit);
  if (disturbed_again) {
    // However long a core stays disturbed, one such visit is remembered.
    visits_.back() = visit;
    ++repeated_;
  } else {
    visits_.push_back(visit);
  }
  disturbed_in_a_row_ = shows_the_block(visit) ? 0 : disturbed_in_a_row_ + 1;
  result_ = visit;
  result_.settled = visit.settled && !doubtful;
  if (!result_.settled) {
    if (auto measured = value()) {
      result_ = *std::move(measured);
    } else if (auto together = value_together()) {
      result_ = *std::move(together);
    } else if (auto without = no_value()) {
      result_ = *std::move(without);
    } else if (visit.outcome.measured()) {
      result_.estimate.reset();
      result_.placements.clear();
      result_.outcome = {Reason::kUnstable, fmt::format("{} cycles, not confirmed by another visit",
                                                        text_of(*visit.estimate))};
    }
  }
  result_.visits = count();
}

Copies Visits::copies() const {
  if (visits_.size() < 2) return {};
  const std::int64_t copies = visits_.back().copies;
  const bool led_twice = visits_[visits_.size() - 2].copies == copies;
  const bool fewer_do = std::ranges::any_of(visits_, [&](const Measurement& visit) {
    return visit.outcome.measured() && visit.copies < copies;
  });
  return Copies(led_twice && !fewer_do ? copies : 0);
}

std::chrono::milliseconds Visits::pause() const {
  constexpr int kMostDoublings = 4;
  return kShortestPause * (1 << std::clamp(disturbed_in_a_row_ - 1, 0, kMostDoublings));
}

/// The visits with a value, in groups that are alike; the group of most visits first, and of two
/// with as many the one of the lower values.
std::vector<Visits::Group> Visits::groups() const {
  std::vector<const Measurement*> measured;
  for (const Measurement& visit : visits_) {
    if (visit.outcome.measured()) measured.push_back(&visit);
  }
  std::ranges::sort(measured, {}, [](const Measurement* visit) { return visit->estimate->cycles; });
  std::vector<Group> groups;
  for (const Measurement* visit : measured) {
    if (groups.empty() || !alike(*groups.back().visits.back()->estimate, *visit->estimate)) {
      groups.emplace_back();
    }
    groups.back().visits.push_back(visit);
  }
  std::ranges::stable_sort(groups, std::ranges::greater{},
                           [](const Group& group) { return group.visits.size(); });
  return groups;
}

/// The states that the visits found, in the order of groups(); none unless there are several.
std::vector<Mode> Visits::modes() const {
  std::vector<Mode> modes;
  for (const Group& group : groups()) {
    if (group.visits.size() < 2) break;  // groups of fewer visits come last
    const Estimate estimate = group.estimate();
    const auto visits = std::ssize(group.visits);
    modes.push_back({.cycles = estimate.cycles,
                     .half_width = estimate.half_width,
                     .visits = visits,
                     .share = static_cast<double>(visits) / count(Reason::kNone)});
  }
  if (modes.size() < 2) modes.clear();
  return modes;
}

/// The block's measurement, if enough visits found the same value.
std::optional<Measurement> Visits::value() const {
  const std::vector<Group> found = groups();
  if (found.empty()) return std::nullopt;
  const Group& usual = found.front();
  const auto agreeing = std::ssize(usual.visits);
  const bool may_have_states = usual.latest().traits.has(Trait::kMemoryDependence);
  const int wanted = may_have_states ? kVisitsOfDependence : kVisitsOfValue;
  const bool agree =
      found.size() == 1 ? agreeing >= wanted : is_usual(agreeing, count(Reason::kNone));
  if (!agree || agreeing <= count(Reason::kNoSteadyState) + count(Reason::kBelowLimit)) {
    return std::nullopt;
  }
  if (!is_narrow(usual.estimate(), kRelative, kCycles) || !usual.places_agree()) {
    return std::nullopt;
  }
  // What else there is to say is as the latest of them found it.
  Measurement measurement = usual.latest();
  measurement.estimate = usual.estimate();
  measurement.timed = usual.timed();
  measurement.settled = true;
  measurement.placements = usual.placements();
  measurement.modes = modes();
  if (measurement.modes.empty()) return measurement;
  measurement.traits.add(Trait::kSeveralStates);
  if (reject_.has(Trait::kSeveralStates)) {
    measurement.outcome = {Reason::kSeveralStates, account()};
    measurement.estimate.reset();
    measurement.placements.clear();
  }
  return measurement;
}

/// What all visits show together that show the block: nothing if there are few of them, if one has
/// no evidence or seems to be of two states, or if they differ, be it in what they ran.
std::optional<Evidence> Visits::evidence_together() const {
  std::vector<Evidence> all;
  for (const Measurement& visit : visits_) {
    if (!shows_the_block(visit)) continue;
    const Measurement& latest = visits_.back();
    const bool is_same_run =
        visit.copies == latest.copies && visit.initial_state == latest.initial_state;
    if (!visit.evidence || visit.evidence->states > 1 || !is_same_run) return std::nullopt;
    all.push_back(*visit.evidence);
  }
  if (all.size() < kVisitsTogether) return std::nullopt;
  std::ranges::sort(all, {}, [](const Evidence& evidence) { return evidence.estimate.cycles; });
  std::vector<Estimate> estimates;
  std::vector<Estimate> differences;
  for (const Evidence& evidence : all) {
    estimates.push_back(evidence.estimate);
    differences.push_back(evidence.difference);
  }
  if (!are_alike(estimates)) return std::nullopt;
  const double floor = std::ranges::max_element(all, {}, &Evidence::floor)->floor;
  Evidence together = {mean_of(estimates), mean_of(differences), floor};
  // As far as it is sure, as in the estimate of one visit.
  const auto& [difference, half_width] = together.difference;
  together.estimate.half_width += std::max(std::abs(difference) - half_width, 0.0) / 2;
  return together;
}

/// The block's measurement, if visits are sure of a value together.
std::optional<Measurement> Visits::value_together() const {
  const auto found = evidence_together();
  if (!found || !is_narrow(found->estimate, kRelative, kCycles)) return std::nullopt;
  const auto& [cycles, half_width] = found->estimate;
  const Steadiness steadiness = {.first_cycles = cycles - found->difference.cycles / 2,
                                 .further_cycles = cycles + found->difference.cycles / 2,
                                 .half_width = found->difference.half_width};
  if (cycles <= half_width || is_below(found->estimate, found->floor) ||
      steady_state(steadiness, Settings()) != SteadyState::kReached) {
    return std::nullopt;
  }
  Group all;
  for (const Measurement& visit : visits_) {
    if (shows_the_block(visit)) all.visits.push_back(&visit);
  }
  if (!all.places_agree()) return std::nullopt;
  Measurement measurement = all.latest();
  measurement.outcome = {Reason::kNone, ""};
  measurement.estimate = found->estimate;
  measurement.timed = all.timed();
  measurement.placements = all.placements();
  measurement.settled = true;
  return measurement;
}

/// Whether the visits that are left may make them sure of a value together: intervals narrow with
/// the square root of their number.
bool Visits::may_be_sure_together() const {
  auto found = evidence_together();
  if (!found) return false;
  const auto showing = std::ranges::count_if(visits_, shows_the_block);
  found->estimate.half_width *= std::sqrt(static_cast<double>(showing) / kMostVisits);
  return is_narrow(found->estimate, kRelative, kCycles);
}

/// The block's measurement, if enough visits show that it has no value.
std::optional<Measurement> Visits::no_value() const {
  const Reason latest = visits_.back().outcome.reason;
  if (!shows_the_block(visits_.back())) return std::nullopt;
  const auto showing = std::ranges::count_if(visits_, shows_the_block);
  const int same = count(latest);
  const bool telling = latest == Reason::kNoSteadyState || latest == Reason::kBelowLimit;
  const bool consistent = telling && same == showing && same >= kConsistentVisits;
  const bool fruitless =
      count(Reason::kNone) == 0 && showing >= kFruitlessVisits && !may_be_sure_together();
  const bool deadly = latest == Reason::kHarnessFault && same >= kMostFaults;
  const bool enough = showing >= kMostVisits && !may_have_value(showing);
  if (!consistent && !fruitless && !deadly && !enough) return std::nullopt;

  // That workers die of a block says more than any states of it.
  const std::vector<Mode> states = deadly ? std::vector<Mode>() : modes();
  Measurement measurement = states.empty() ? most_frequent() : groups().front().latest();
  if (!states.empty()) {
    const bool usual = is_usual(states.front().visits, count(Reason::kNone));
    measurement.outcome = {usual ? Reason::kUnstable : Reason::kNoSingleState, ""};
  }
  measurement.modes = states;
  measurement.estimate.reset();
  measurement.placements.clear();
  std::string& detail = measurement.outcome.detail;
  detail += fmt::format("{}{}", detail.empty() ? "" : "; ", account());
  measurement.settled = true;
  return measurement;
}

/// Whether the usual one of several states is the block's value if all visits that are left find
/// it. `showing`: how many visits showed the block.
bool Visits::may_have_value(std::ptrdiff_t showing) const {
  const auto left = kMostVisitsOfStates - showing;
  const std::vector<Mode> states = modes();
  return left > 0 && !states.empty() &&
         is_usual(states.front().visits + left, count(Reason::kNone) + left);
}

/// What the visits without a value found most often; of what is as frequent, the latest. A value
/// that no other visit found is none.
Measurement Visits::most_frequent() const {
  const Measurement* chosen = nullptr;
  for (const Measurement& visit : visits_) {
    if (!shows_the_block(visit) || visit.outcome.measured()) continue;
    if (!chosen || count(visit.outcome.reason) >= count(chosen->outcome.reason)) chosen = &visit;
  }
  if (chosen) return *chosen;
  Measurement measurement = visits_.back();
  measurement.outcome = {Reason::kUnstable, ""};
  return measurement;
}

int Visits::count(Reason reason) const {
  return static_cast<int>(
      std::ranges::count(visits_, reason, [](const Measurement& m) { return m.outcome.reason; }));
}

/// What was seen, for people: "of 4 visits: 1.000 +- 0.007 cycles in 1, unstable in 3".
std::string Visits::account() const {
  std::vector<std::string> seen;
  for (const Group& group : groups()) {
    const std::string value = group.visits.size() > 1 ? text_of(group.estimate())
                                                      : text_of(*group.visits.front()->estimate);
    seen.push_back(fmt::format("{} cycles in {}", value, group.visits.size()));
  }
  std::map<Reason, int> reasons;
  for (const Measurement& visit : visits_) {
    if (!visit.outcome.measured()) ++reasons[visit.outcome.reason];
  }
  if (repeated_ > 0) reasons[Reason::kInterference] += repeated_;
  for (const auto& [reason, times] : reasons) {
    seen.push_back(fmt::format("{} in {}", name(reason), times));
  }
  return fmt::format("of {}: {}", counted(count(), "visit"), fmt::join(seen, ", "));
}

}  // namespace assay

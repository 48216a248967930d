#include "profiler/protocol/visits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "profiler/sampling/estimate.h"
#include "profiler/support/counted.h"
#include "profiler/support/statistics.h"

namespace assay {
namespace {

constexpr double kRelative = 0.01;  // of a value: differences and half-widths that are accepted
constexpr double kCycles = 0.01;    // likewise, in cycles

bool alike(const Estimate& one, const Estimate& other) {
  constexpr double kIntervals = 1.5;
  const double allowed = std::max({kIntervals * std::hypot(one.half_width, other.half_width),
                                   kRelative * std::min(one.cycles, other.cycles), kCycles});
  return std::abs(one.cycles - other.cycles) <= allowed;
}

/// Whether what a visit found says something about the block.
bool shows_the_block(const Measurement& visit) {
  return visit.outcome.reason != Reason::kInterference;
}

std::string text_of(const Estimate& estimate) {
  return fmt::format("{:.3f} +- {:.3f}", estimate.cycles, estimate.half_width);
}

}  // namespace

bool is_calm(const TimedRuns& timed) {
  constexpr std::int64_t kOneIn = 20;
  return kOneIn * timed.dropped <= timed.runs + timed.dropped;
}

/// Visits whose values are alike, each to the next greater one.
struct Visits::Mode {
  std::vector<const Measurement*> visits;

  Estimate estimate() const {
    std::vector<MeanInterval> values;
    for (const Measurement* visit : visits) {
      values.push_back({visit->estimate->cycles, visit->estimate->half_width});
    }
    const MeanInterval mean = weighted_interval(values);
    return {.cycles = mean.mean, .half_width = mean.half_width};
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
  result_ = visit;
  result_.settled = visit.settled && !doubtful;
  if (!result_.settled) {
    if (auto measured = value()) {
      result_ = *std::move(measured);
    } else if (auto without = no_value()) {
      result_ = *std::move(without);
    } else if (visit.outcome.measured()) {
      result_.estimate.reset();
      result_.outcome = {Reason::kUnstable, fmt::format("{} cycles, not confirmed by another visit",
                                                        text_of(*visit.estimate))};
    }
  }
  result_.visits = count();
}

std::chrono::milliseconds Visits::pause() const {
  constexpr int kMostDoublings = 4;
  return kShortestPause * (1 << std::clamp(next() - 2, 0, kMostDoublings));
}

/// The visits with a value, in groups that are alike; the group of most visits first, and of two
/// with as many the one of the lower values.
std::vector<Visits::Mode> Visits::modes() const {
  std::vector<const Measurement*> measured;
  for (const Measurement& visit : visits_) {
    if (visit.outcome.measured()) measured.push_back(&visit);
  }
  std::ranges::sort(measured, {}, [](const Measurement* visit) { return visit->estimate->cycles; });
  std::vector<Mode> modes;
  for (const Measurement* visit : measured) {
    if (modes.empty() || !alike(*modes.back().visits.back()->estimate, *visit->estimate)) {
      modes.emplace_back();
    }
    modes.back().visits.push_back(visit);
  }
  std::ranges::stable_sort(modes, std::ranges::greater{},
                           [](const Mode& mode) { return mode.visits.size(); });
  return modes;
}

/// The block's measurement, if enough visits found the same value.
std::optional<Measurement> Visits::value() const {
  const std::vector<Mode> found = modes();
  if (found.empty()) return std::nullopt;
  const Mode& usual = found.front();
  const std::size_t agreeing = usual.visits.size();
  const bool agree =
      found.size() == 1
          ? agreeing >= 2
          : agreeing >= 3 && 4 * agreeing >= 3 * static_cast<std::size_t>(count(Reason::kNone));
  if (!agree || !is_narrow(usual.estimate(), kRelative, kCycles)) return std::nullopt;
  // What else there is to say is as the latest of them found it.
  Measurement measurement = **std::ranges::max_element(usual.visits, std::ranges::less{});
  measurement.estimate = usual.estimate();
  measurement.timed = {};
  for (const Measurement* visit : usual.visits) {
    measurement.timed.runs += visit->timed.runs;
    measurement.timed.dropped += visit->timed.dropped;
  }
  measurement.settled = true;
  return measurement;
}

/// The block's measurement, if enough visits show that it has no value.
std::optional<Measurement> Visits::no_value() const {
  const Reason latest = visits_.back().outcome.reason;
  if (!shows_the_block(visits_.back())) return std::nullopt;
  const auto showing = std::ranges::count_if(visits_, shows_the_block);
  const int same = count(latest);
  const bool telling = latest == Reason::kNoSteadyState || latest == Reason::kBelowLimit;
  const bool consistent = telling && same == showing && same >= kConsistentVisits;
  const bool deadly = latest == Reason::kHarnessFault && same >= kMostFaults;
  if (!consistent && !deadly && showing < kMostVisits) return std::nullopt;

  // Of reasons that are as frequent, the latest one; a value that no other visit found is none.
  const Measurement* chosen = nullptr;
  for (const Measurement& visit : visits_) {
    if (!shows_the_block(visit) || visit.outcome.measured()) continue;
    if (!chosen || count(visit.outcome.reason) >= count(chosen->outcome.reason)) chosen = &visit;
  }
  Measurement measurement = chosen ? *chosen : visits_.back();
  if (!chosen) measurement.outcome = {Reason::kUnstable, ""};
  measurement.estimate.reset();
  std::string& detail = measurement.outcome.detail;
  detail += fmt::format("{}{}", detail.empty() ? "" : "; ", account());
  measurement.settled = true;
  return measurement;
}

int Visits::count(Reason reason) const {
  return static_cast<int>(
      std::ranges::count(visits_, reason, [](const Measurement& m) { return m.outcome.reason; }));
}

/// What was seen, for people: "of 4 visits: 1.000 +- 0.007 cycles in 1, unstable in 3".
std::string Visits::account() const {
  std::vector<std::string> seen;
  for (const Mode& mode : modes()) {
    const std::string value =
        mode.visits.size() > 1 ? text_of(mode.estimate()) : text_of(*mode.visits.front()->estimate);
    seen.push_back(fmt::format("{} cycles in {}", value, mode.visits.size()));
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

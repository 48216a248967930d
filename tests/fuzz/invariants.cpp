#include "tests/fuzz/invariants.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <variant>

#include "profiler/block/block.h"

namespace assay::fuzz {
namespace {

using Violation = std::optional<std::string>;

Violation unless(bool holds, std::string_view what) {
  if (holds) return std::nullopt;
  return std::string(what);
}

/// The first violation, if there is any.
Violation any_of(std::initializer_list<Violation> violations) {
  for (const Violation& violation : violations) {
    if (violation) return violation;
  }
  return std::nullopt;
}

Violation wrong_verdict(const Measurement& measurement) {
  const auto reason = static_cast<std::size_t>(measurement.outcome.reason);
  if (reason >= all_reasons().size()) return "the reason is outside its enumeration";
  return any_of({
      unless(info(measurement.outcome.reason).verdict == measurement.outcome.verdict(),
             "the verdict is not that of its reason"),
      unless(measurement.outcome.verdict() != Verdict::kUnfinished,
             "it stopped early without being asked"),
      // The rules of decoding refuse every instruction that enters the system.
      unless(measurement.outcome.reason != Reason::kDeniedSystemCall, "a system call was reached"),
  });
}

bool is_sane(const Estimate& estimate, const TimedRuns& timed) {
  return std::isfinite(estimate.cycles) && std::isfinite(estimate.half_width) &&
         estimate.half_width >= 0 && timed.runs > 0 && timed.dropped >= 0;
}

Violation wrong_estimate(const Measurement& measurement, const Settings& settings) {
  if (measurement.estimate.has_value() != measurement.outcome.measured()) {
    return "it is measured without an estimate, or has one without being measured";
  }
  if (!measurement.estimate) return std::nullopt;
  if (!is_sane(*measurement.estimate, measurement.timed)) return "the estimate is no number";
  const auto [cycles, half_width] = *measurement.estimate;
  return any_of({
      unless(cycles > 0 && cycles > half_width, "a measured interval reaches down to 0"),
      unless(half_width <= std::max(settings.accept_relative * cycles, settings.accept_cycles),
             "a measured interval is wider than the settings accept"),
      unless((measurement.traits & settings.reject).empty(), "it has a trait that rejects"),
      unless(measurement.copies > 0, "it is measured, without copies"),
  });
}

/// Violations of what must hold for a block that never ran.
Violation not_untouched(const Measurement& measurement) {
  return unless(!measurement.estimate && measurement.copies == 0 && measurement.pages == 0 &&
                    measurement.initial_state.empty() && measurement.events.empty() &&
                    measurement.modes.empty() && measurement.placements.empty(),
                "a block that was refused at decoding has something of a run");
}

constexpr std::array kOnlyDecodingRefuses = {
    Reason::kEmptyBlock,    Reason::kInvalidInstruction,    Reason::kControlFlow,
    Reason::kSystemCall,    Reason::kPrivilegedInstruction, Reason::kVirtualizedInstruction,
    Reason::kProcessorState};

Violation disagrees_with_decode(const Bytes& bytes, const Measurement& measurement) {
  const auto decoded = decode(bytes);
  if (const auto* const refusal = std::get_if<Refusal>(&decoded)) {
    return any_of({
        unless(measurement.outcome.reason == refusal->outcome.reason,
               "its reason is not that of decoding"),
        unless(measurement.instructions == static_cast<std::int64_t>(refusal->instructions),
               "its instructions are not those before the refused one"),
        not_untouched(measurement),
    });
  }
  const auto count = static_cast<std::int64_t>(std::get<Block>(decoded).instructions.size());
  return any_of({
      unless(std::ranges::find(kOnlyDecodingRefuses, measurement.outcome.reason) ==
                 kOnlyDecodingRefuses.end(),
             "it was refused for what decoding does not find in it"),
      unless(measurement.instructions == count, "its instructions are not those that it has"),
  });
}

Violation wrong_run(const Measurement& measurement, const Settings& settings) {
  const bool ran = measurement.outcome.verdict() != Verdict::kRejected;
  return any_of({
      unless(measurement.pages >= 0 && measurement.pages <= settings.page_limit,
             "its pages are beyond the limit"),
      unless(measurement.copies >= 0, "its copies are fewer than none"),
      unless(!ran || !measurement.initial_state.empty(), "it ran under no initial state"),
  });
}

}  // namespace

std::optional<std::string> violation(const Input& input, const Settings& settings,
                                     const Measurement& measurement) {
  return any_of({
      wrong_verdict(measurement),
      unless(measurement.notion == input.notion, "the notion is another"),
      wrong_estimate(measurement, settings),
      disagrees_with_decode(input.bytes, measurement),
      wrong_run(measurement, settings),
  });
}

}  // namespace assay::fuzz

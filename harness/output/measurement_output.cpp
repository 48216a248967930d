#include "harness/output/measurement_output.h"
#include "profiler/support/version.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "harness/output/clock_output.h"
#include "harness/output/event_output.h"
#include "profiler/support/counted.h"
#include "results/exchange/record_json.h"

namespace assay {

namespace {

std::string clock_text(const MeasuredBlock& block, const Settings& settings) {
  std::string text = fmt::format("  clock    {}", settings.clock);
  if (settings.clock != "tsc") {
    text += ", which counts core cycles";
  } else if (block.ratio) {
    text += fmt::format(", {:.4f} core cycles a tick", block.ratio->value());
  }
  return text + "\n" + why_not_better(block.clock_choice, "           ");
}

std::string loop_end_text(const Measurement& measurement) {
  return measurement.loop_end.empty() ? "" : fmt::format(" ({} end)", measurement.loop_end);
}

/// A line for each of the modes; empty without any.
std::string modes_text(std::span<const Mode> modes) {
  std::string text;
  for (const Mode& mode : modes) {
    text += fmt::format("  {:<9}{:.3f} +- {:.3f} per copy ({}, {:.0f} %)\n",
                        text.empty() ? "modes" : "", mode.cycles, mode.half_width,
                        counted(mode.visits, "visit"), 100 * mode.share);
  }
  return text;
}

/// A line for each value that the block has at such places, with those where it has it: values that
/// are alike, each to the next greater one, are one. Empty without any.
std::string placements_text(const Measurement& measurement) {
  std::vector<CodePlacement> placements = measurement.placements;
  const bool loops = measurement.notion == Notion::kLooped;
  const auto estimate = [](const CodePlacement& placement) {
    return Estimate{placement.cycles, placement.half_width};
  };
  std::ranges::stable_sort(placements, {}, &CodePlacement::cycles);
  std::string text;
  for (auto first = placements.begin(); first != placements.end();) {
    const auto last = std::ranges::adjacent_find(
        first, placements.end(), [&](const CodePlacement& one, const CodePlacement& other) {
          return !alike(estimate(one), estimate(other));
        });
    const auto behind = last == placements.end() ? last : last + 1;
    const std::string least = fmt::format("{:.3f}", first->cycles);
    const std::string most = fmt::format("{:.3f}", std::prev(behind)->cycles);
    std::set<std::int64_t> offsets;
    for (; first != behind; ++first) offsets.insert(first->offset);
    text += fmt::format(
        "  {:<9}{}{}\n", text.empty() ? "places" : "",
        least == most ? least : least + " to " + most,
        fmt::format(" where {} {} bytes behind a multiple of 64",
                    loops ? "the loop begins" : "copies begin", fmt::join(offsets, ", ")));
  }
  return text;
}

}  // namespace

nlohmann::ordered_json to_json(const MeasuredBlock& block, const Settings& settings) {
  nlohmann::ordered_json json = {
      {"format", "assay-measurement"}, {"version", 1}, {"program", program_version()}};
  json.update(
      outcome_json(block.bytes, block.text, block.measurement, settings.protocol, settings.clock));
  json["core_cycles_per_tick"] = nullptr;
  if (block.ratio) json["core_cycles_per_tick"] = block.ratio->value();
  json["clock_choice"] = to_json(block.clock_choice);
  return json;
}

std::string to_text(const MeasuredBlock& block, const Settings& settings) {
  const Measurement& measurement = block.measurement;
  std::string text = block.text.empty() ? "" : block.text + "\n";
  if (measurement.outcome.verdict() == Verdict::kMeasured) {
    const Estimate& estimate = measurement.estimate.value();
    // Under other tools' protocols, half-widths are not those of 95 % intervals.
    const char* level = settings.protocol == "assay" ? "95 %, " : "";
    text += fmt::format("  cycles   {:.3f} +- {:.3f} per copy ({}{}, {} dropped)\n",
                        estimate.cycles, estimate.half_width, level,
                        counted(measurement.timed.runs, "run"), measurement.timed.dropped);
  }
  text += fmt::format("  verdict  {}\n", name(measurement.outcome.verdict()));
  if (measurement.outcome.reason != Reason::kNone) {
    text += fmt::format("  reason   {}: {}\n", name(measurement.outcome.reason),
                        info(measurement.outcome.reason).sentence);
    if (!measurement.outcome.detail.empty())
      text += fmt::format("           {}\n", measurement.outcome.detail);
  }
  if (!measurement.settled) {
    text += fmt::format("  visits   {}; not settled: at another moment it may have a number\n",
                        measurement.visits);
  } else if (measurement.visits > 1) {
    text += fmt::format("  visits   {}\n", measurement.visits);
  }
  text += modes_text(measurement.modes);
  text += placements_text(measurement);
  if (measurement.copies > 0) {
    text += fmt::format("  notion   {}{}, n = {}; {} mapped\n", name(measurement.notion),
                        loop_end_text(measurement), counted(measurement.copies, "copy", "copies"),
                        counted(measurement.pages, "page"));
  }
  if (!measurement.initial_state.empty()) {
    text += fmt::format("  state    {}\n", measurement.initial_state);
  }
  if (!measurement.traits.empty()) {
    text += fmt::format("  traits   {}\n", fmt::join(names_of(measurement.traits), ", "));
  }
  return text + to_text(measurement.events) + clock_text(block, settings);
}

}  // namespace assay

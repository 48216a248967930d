#include "harness/measurement_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

#include "harness/clock_output.h"
#include "harness/commands.h"
#include "harness/event_output.h"

namespace assay {

namespace {

std::vector<std::string_view> names_of(Traits traits) {
  std::vector<std::string_view> names;
  for (int i = 0; i < kTraits; ++i) {
    const auto trait = static_cast<Trait>(i);
    if (traits.has(trait)) names.push_back(name(trait));
  }
  return names;
}

std::string clock_text(const MeasuredBlock& block, const Settings& settings) {
  std::string text = fmt::format("  clock    {}", settings.clock);
  if (settings.clock != "tsc") {
    text += ", which counts core cycles";
  } else if (block.core_cycles_per_tick > 0) {
    text += fmt::format(", {:.4f} core cycles a tick", block.core_cycles_per_tick);
  }
  return text + "\n" + why_not_better(block.clock_choice, "           ");
}

}  // namespace

nlohmann::ordered_json to_json(const MeasuredBlock& block, const Settings& settings) {
  const Measurement& measurement = block.measurement;
  nlohmann::ordered_json json = {
      {"format", "assay-measurement"},
      {"version", 1},
      {"program", program_version()},
      {"hex", hex_from_bytes(block.bytes)},
      {"text", block.text},
      {"size", block.bytes.size()},
      {"instructions", measurement.instructions},
      {"verdict", name(measurement.verdict)},
      {"reason", name(measurement.reason)},
      {"detail", measurement.detail},
      {"cycles", nullptr},
      {"ci95", nullptr},
      {"notion", name(measurement.notion)},
      {"protocol", settings.protocol},
      {"initial_state", measurement.initial_state},
      {"traits", names_of(measurement.traits)},
      {"clock", settings.clock},
      {"core_cycles_per_tick", nullptr},
      {"copies", measurement.copies},
      {"pages", measurement.pages},
      {"runs", 0},
      {"dropped", 0},
      {"events", to_json(measurement.events)},
      {"clock_choice", to_json(block.clock_choice)},
  };
  if (block.core_cycles_per_tick > 0) json["core_cycles_per_tick"] = block.core_cycles_per_tick;
  if (const auto& estimate = measurement.estimate) {
    json["runs"] = estimate->runs;
    json["dropped"] = estimate->dropped;
    if (measurement.verdict == Verdict::kMeasured) {
      json["cycles"] = estimate->cycles;
      json["ci95"] = {estimate->cycles - estimate->half_width,
                      estimate->cycles + estimate->half_width};
    }
  }
  return json;
}

std::string to_text(const MeasuredBlock& block, const Settings& settings) {
  const Measurement& measurement = block.measurement;
  std::string text = block.text.empty() ? "" : block.text + "\n";
  if (measurement.verdict == Verdict::kMeasured) {
    const Estimate& estimate = measurement.estimate.value();
    // The half-widths of other tools' protocols are no 95 % intervals.
    const char* level = settings.protocol == "assay" ? "95 %, " : "";
    text +=
        fmt::format("  cycles   {:.3f} +- {:.3f} per copy ({}{} runs, {} dropped)\n",
                    estimate.cycles, estimate.half_width, level, estimate.runs, estimate.dropped);
  }
  text += fmt::format("  verdict  {}\n", name(measurement.verdict));
  if (measurement.reason != Reason::kNone) {
    text += fmt::format("  reason   {}: {}\n", name(measurement.reason),
                        info(measurement.reason).sentence);
    if (!measurement.detail.empty()) text += fmt::format("           {}\n", measurement.detail);
  }
  if (measurement.copies > 0) {
    text += fmt::format("  notion   {}, n = {} copies; {} pages mapped\n", name(measurement.notion),
                        measurement.copies, measurement.pages);
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

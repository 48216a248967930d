#include "harness/output/explanation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "harness/output/event_output.h"
#include "profiler/block/register_names.h"
#include "profiler/block/text.h"
#include "profiler/support/counted.h"
#include "results/exchange/record_json.h"

namespace assay {
namespace {

// How many lines are shown of a long table: its start, where a block may still warm up, and its end
// tell most.
constexpr std::size_t kFirstSeries = 12;
constexpr std::size_t kLastSeries = 4;

std::vector<std::int64_t> counts_of(const std::vector<Iterations>& sizes) {
  std::vector<std::int64_t> counts;
  for (const Iterations size : sizes) counts.push_back(size.count());
  return counts;
}

std::string stagger_text(const Plan& plan) {
  if (plan.stagger == Copies()) return "";
  return fmt::format(", at each further alignment {} fewer", plan.stagger.count());
}

std::string plan_text(const Plan& plan) {
  const std::string sizes = fmt::format("{}", fmt::join(counts_of(plan.sizes), ", "));
  if (plan.notion == Notion::kUnrolled) {
    const bool held = plan.first_stores == FirstStores::kHeld;
    return fmt::format("{} copies{}, behind {}{}", sizes, stagger_text(plan),
                       counted(plan.warm_ups, "warm-up run"), held ? ", first stores held" : "");
  }
  const std::string text = fmt::format("{} iterations of a loop over {}", sizes,
                                       counted(plan.body.count(), "copy", "copies"));
  if (const auto& sentinel = plan.loop.sentinel) {
    return fmt::format("{}, ended by {:#x} in memory ({} bytes at {:#x} at first)", text,
                       sentinel->value, sentinel->size, sentinel->address(plan.sizes.front()));
  }
  if (!plan.loop.bound) return text;
  return fmt::format("{}, bounded by {} ({:#x} at first)", text, name(plan.loop.bound->reg),
                     plan.loop.bound->value(plan.sizes.front()));
}

std::string series_table(const Attempt& attempt) {
  const auto& series = attempt.series;
  std::string text =
      "    series  place     cycles    first   canary    ratio   runs  dropped  anew  fate\n";
  const std::size_t behind =
      series.size() > kFirstSeries + kLastSeries ? series.size() - kLastSeries : kFirstSeries;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (i == kFirstSeries && behind > i) {
      text += fmt::format("    ... {} more\n", behind - i);
      i = behind;
    }
    const SeriesPoint& point = series[i];
    text += fmt::format("    {:>6}{:>7}{:>11.4f}{:>9.4f}{:>9.4f}{:>9.4f}{:>7}{:>9}{:>6}  {}\n",
                        i + 1, point.place, point.cycles, point.first_cycles, point.cycles_per_nop,
                        per_tick(point.ratio, attempt.stamps).value(), point.kept, point.dropped,
                        point.retried, name(point.fate));
  }
  return text;
}

const char* direction(const TracedAccess& access) {
  if (access.read && access.write) return "read, write";
  return access.write ? "write" : "read";
}

std::string access_table(const Trace& trace, const Block& block) {
  std::string text;
  for (const TracedAccess& access : trace.accesses) {
    if (access.copy > 0) break;  // accesses are in program order
    if (text.empty()) text = "    accesses of the first copy\n";
    text += fmt::format("      {:<44} {:>#18x} {:>5} bytes  {}\n",
                        text_of(block, block.instructions.at(access.instruction)), access.address,
                        access.size, direction(access));
  }
  return text;
}

std::string findings_text(const Attempt& attempt, const Block& block) {
  std::string text;
  for (const Finding& finding : attempt.findings.findings) {
    text += fmt::format("    {:<10} {}\n", name(finding.trait),
                        describe(finding, block, attempt.prepared.conditions));
  }
  return text;
}

std::string estimate_text(const Attempt& attempt, const Settings& settings) {
  if (!attempt.evaluation || !attempt.evaluation->steadiness) return "";
  const Estimate& estimate = attempt.evaluation->estimate;
  const Steadiness& steadiness = *attempt.evaluation->steadiness;
  std::string text = fmt::format(
      "    estimate   {:.4f} +- {:.4f} cycles a copy ({:.2f} %); accepted up to {:.4f}\n",
      estimate.cycles, estimate.half_width, 100 * estimate.half_width / estimate.cycles,
      std::max(settings.accept_relative * estimate.cycles, settings.accept_cycles));
  text += fmt::format(
      "    steady     {:.4f} cycles for earlier copies, {:.4f} for later ones, their difference +- "
      "{:.4f}\n",
      steadiness.first_cycles, steadiness.further_cycles, steadiness.half_width);
  text += fmt::format("    canary     {:+.2f} % slower than undisturbed; accepted up to {:.2f} %\n",
                      100 * attempt.evaluation->slowdown, 100 * settings.accept_slowdown);
  if (attempt.floor > 0) {
    text += fmt::format("    floor      {:.4f} cycles a copy\n", attempt.floor);
  }
  return text;
}

nlohmann::ordered_json to_json(const SeriesPoint& point, int stamps) {
  return {{"place", point.place},
          {"fate", name(point.fate)},
          {"cycles", point.cycles},
          {"first", point.first_cycles},
          {"canary", point.cycles_per_nop},
          {"ratio", per_tick(point.ratio, stamps).value()},
          {"runs", point.kept},
          {"dropped", point.dropped},
          {"anew", point.retried}};
}

nlohmann::ordered_json to_json(const TracedAccess& access) {
  return {{"copy", access.copy},
          {"instruction", access.instruction},
          // Addresses are text, because some readers of JSON lose precision above 2^53.
          {"address", fmt::format("{:#x}", access.address)},
          {"size", access.size},
          {"read", access.read},
          {"write", access.write}};
}

/// What ends a loop that ends by its own branch: a register and its value at each size, or a value
/// in memory and its address at each size.
nlohmann::ordered_json bound_json(const Plan& plan) {
  if (const auto& sentinel = plan.loop.sentinel) {
    nlohmann::ordered_json json = {{"addresses", nlohmann::ordered_json::array()},
                                   {"size", sentinel->size},
                                   {"value", fmt::format("{:#x}", sentinel->value)}};
    for (const Iterations size : plan.sizes) {
      json["addresses"].push_back(fmt::format("{:#x}", sentinel->address(size)));
    }
    return json;
  }
  if (!plan.loop.bound) return nullptr;
  nlohmann::ordered_json json = {{"register", name(plan.loop.bound->reg)},
                                 {"values", nlohmann::ordered_json::array()}};
  for (const Iterations size : plan.sizes) {
    json["values"].push_back(fmt::format("{:#x}", plan.loop.bound->value(size)));
  }
  return json;
}

nlohmann::ordered_json to_json(const Attempt& attempt, const Block& block) {
  const Plan& plan = attempt.prepared.plan;
  nlohmann::ordered_json json = {
      {"initial_state", attempt.measurement.initial_state},
      {"sizes", counts_of(plan.sizes)},
      {"stagger", plan.stagger.count()},
      {"body_copies", plan.body.count()},
      {"loop_end", attempt.measurement.loop_end},
      {"loop_bound", bound_json(plan)},
      {"warm_ups", plan.warm_ups},
      {"series", nlohmann::ordered_json::array()},
      {"steadiness", nullptr},
      {"slowdown", nullptr},
      {"floor", nullptr},
      {"accesses", nlohmann::ordered_json::array()},
      {"findings", nlohmann::ordered_json::array()},
      {"events", to_json(attempt.measurement.events)},
      {"events_left_out", attempt.events_left_out},
      {"reason", name(attempt.measurement.outcome.reason)},
      {"detail", attempt.measurement.outcome.detail},
  };
  for (const SeriesPoint& point : attempt.series) {
    json["series"].push_back(to_json(point, attempt.stamps));
  }
  if (const auto& evaluation = attempt.evaluation; evaluation && evaluation->steadiness) {
    json["steadiness"] = {{"first", evaluation->steadiness->first_cycles},
                          {"further", evaluation->steadiness->further_cycles},
                          {"half_width", evaluation->steadiness->half_width}};
    json["slowdown"] = evaluation->slowdown;
  }
  if (attempt.floor > 0) json["floor"] = attempt.floor;
  for (const TracedAccess& access : attempt.prepared.trace.accesses) {
    json["accesses"].push_back(to_json(access));
  }
  for (const Finding& finding : attempt.findings.findings) {
    json["findings"].push_back({{"trait", name(finding.trait)},
                                {"text", describe(finding, block, attempt.prepared.conditions)}});
  }
  return json;
}

}  // namespace

std::string explain(std::span<const Attempt> attempts, const Block& block,
                    const Settings& settings) {
  std::string text;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const Attempt& attempt = attempts[i];
    text += fmt::format("  attempt {}: {}, initial state '{}'\n", i + 1,
                        plan_text(attempt.prepared.plan), attempt.measurement.initial_state);
    text += access_table(attempt.prepared.trace, block);
    text += findings_text(attempt, block);
    if (!attempt.series.empty()) text += series_table(attempt);
    text += estimate_text(attempt, settings);
    text += event_table(attempt.measurement.events);
    if (!attempt.events_left_out.empty()) {
      text += fmt::format("    not counted  {}\n", attempt.events_left_out);
    }
    text += fmt::format("    outcome    {}{}{}\n", name(attempt.measurement.outcome.reason),
                        attempt.measurement.outcome.detail.empty() ? "" : ": ",
                        attempt.measurement.outcome.detail);
  }
  return text;
}

nlohmann::ordered_json attempts_json(std::span<const Attempt> attempts, const Block& block) {
  auto json = nlohmann::ordered_json::array();
  for (const Attempt& attempt : attempts) json.push_back(to_json(attempt, block));
  return json;
}

}  // namespace assay

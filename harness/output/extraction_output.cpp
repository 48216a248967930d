#include "harness/output/extraction_output.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/output/percent.h"
#include "profiler/support/counted.h"

namespace assay {
namespace {

using nlohmann::ordered_json;

struct Skip {
  std::string_view name;
  std::int64_t SkippedBlocks::*count;
  std::string_view text;
};

constexpr Skip kSkips[] = {
    {"branch_alone", &SkippedBlocks::branch_alone, "a branch, call or return alone"},
    {"filling", &SkippedBlocks::filling, "nops and endbr64 alone"},
    {"too_large", &SkippedBlocks::too_large, "larger than the largest block"},
    {"overlapping", &SkippedBlocks::disputed, "instructions that overlap"},
    {"open_end", &SkippedBlocks::open_end,
     "runs on into bytes that are not known as code of its function"},
    {"unknown_field", &SkippedBlocks::unknown_field, "a field that only its linker can fill in"},
};

struct WalkFinding {
  std::string_view name;
  std::int64_t WalkCounts::*count;
  std::string_view text;
};

constexpr WalkFinding kWalkFindings[] = {
    {"table_jumps", &WalkCounts::table_jumps, "indirect jumps followed through their tables"},
    {"label_jumps", &WalkCounts::label_jumps, "indirect jumps followed to labels in data"},
    {"unresolved_jumps", &WalkCounts::unresolved_jumps, "indirect jumps that were not followed"},
    {"calls_without_return", &WalkCounts::silent_calls,
     "calls of functions with no known path to a return"},
    {"past_end", &WalkCounts::past_end, "paths past the end of a function, not followed"},
    {"invalid_code", &WalkCounts::invalid_code, "paths into bytes that are no instruction"},
    {"outside_targets", &WalkCounts::outside_targets, "branches to where there is no code"},
};

ExtractionCounts total_of(const ExtractionReport& report) {
  ExtractionCounts total;
  for (const auto& program : report.programs) total += program.counts;
  return total;
}

std::string count_line(std::int64_t count, std::string_view text) {
  return count == 0 ? "" : fmt::format("    {:>9}  {}\n", count, text);
}

ordered_json to_json(const ExtractionCounts& counts) {
  ordered_json json = {{"images", counts.images},
                       {"functions", counts.functions},
                       {"instructions", counts.walk.instructions},
                       {"blocks", counts.blocks},
                       {"block_bytes", counts.block_bytes},
                       {"loops", counts.loops},
                       {"code_bytes", counts.code_bytes},
                       {"function_bytes", counts.function_bytes},
                       {"reached_bytes", counts.reached_bytes}};
  json["skipped"] = to_json(counts.skipped);
  for (const WalkFinding& finding : kWalkFindings) {
    json["ways"][std::string(finding.name)] = counts.walk.*finding.count;
  }
  return json;
}

}  // namespace

std::string to_text(const SkippedBlocks& skipped) {
  std::string text;
  for (const Skip& skip : kSkips) text += count_line(skipped.*skip.count, skip.text);
  return text.empty() ? "" : "  no blocks\n" + text;
}

ordered_json to_json(const SkippedBlocks& skipped) {
  ordered_json json;
  for (const Skip& skip : kSkips) json[std::string(skip.name)] = skipped.*skip.count;
  return json;
}

std::string taken_text(std::size_t distinct, std::int64_t places,
                       std::optional<std::int64_t> loop_places) {
  if (!loop_places) {
    return fmt::format("{} in {}", counted(distinct, "distinct block"), counted(places, "place"));
  }
  return fmt::format("{} in {} of {} with a block", counted(distinct, "distinct loop"),
                     *loop_places, counted(places, "place"));
}

std::string to_text(const ExtractionReport& report) {
  const ExtractionCounts total = total_of(report);
  std::string text =
      fmt::format("{}; {} in {}; {:.2f} s\n",
                  taken_text(report.distinct, total.blocks,
                             report.loops ? std::optional(total.loops) : std::nullopt),
                  counted(total.walk.instructions, "instruction"),
                  counted(total.functions, "function"), report.seconds);
  text += fmt::format("  code      {}, {} of them in functions ({:.1f} %), {} reached ({:.1f} %)\n",
                      counted(total.code_bytes, "byte"), total.function_bytes,
                      percent(total.function_bytes, total.code_bytes), total.reached_bytes,
                      percent(total.reached_bytes, total.code_bytes));
  text += to_text(total.skipped);
  std::string ways;
  for (const WalkFinding& finding : kWalkFindings) {
    ways += count_line(total.walk.*finding.count, finding.text);
  }
  if (!ways.empty()) text += "  control flow\n" + ways;
  for (const auto& program : report.programs) {
    for (const std::string& remark : program.remarks) text += fmt::format("  {}\n", remark);
  }
  return text;
}

ordered_json to_json(const ExtractionReport& report) {
  ordered_json json = {{"distinct", report.distinct}, {"seconds", report.seconds}};
  json["total"] = to_json(total_of(report));
  json["programs"] = ordered_json::array();
  for (const auto& program : report.programs) {
    ordered_json one = {{"path", program.path}};
    one.update(to_json(program.counts));
    one["remarks"] = program.remarks;
    json["programs"].push_back(std::move(one));
  }
  return json;
}

}  // namespace assay

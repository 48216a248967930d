#include "harness/output/dynamic_output.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>

#include "harness/output/extraction_output.h"
#include "profiler/support/counted.h"

namespace assay {
namespace {

using nlohmann::ordered_json;

/// Objects with a smaller share of what ran are not listed one by one.
constexpr double kSmallShare = 0.001;
constexpr std::size_t kShownObjects = 12;

ExecutedCounts total_of(const DynamicResult& result) {
  ExecutedCounts total;
  for (const ObjectFigures& object : result.objects) total += object.counts;
  return total;
}

std::uint64_t instructions_of(const DynamicResult& result) {
  std::uint64_t sum = 0;
  for (const ObjectFigures& object : result.objects) sum += object.instructions;
  return sum;
}

ordered_json to_json(const ExecutedCounts& counts) {
  return {{"blocks", counts.places},
          {"executions", counts.executions},
          {"block_bytes", counts.bytes},
          {"loops", counts.loops},
          {"loop_executions", counts.loop_executions},
          {"skipped", to_json(counts.skipped)},
          {"not_in_file", counts.not_in_file}};
}

std::string line_of(const ObjectFigures& object, double share) {
  const std::string name = std::filesystem::path(object.path).filename().string();
  if (!object.passed_over.empty()) {
    return fmt::format("    {:5.1f} %             -  {}: {}\n", 100 * share, name,
                       object.passed_over);
  }
  return fmt::format("    {:5.1f} %  {:>12}  {}\n", 100 * share, object.distinct, name);
}

std::string objects_text(const DynamicResult& result, double instructions) {
  std::vector<ObjectFigures> objects = result.objects;
  std::ranges::stable_sort(objects, std::greater<>(), &ObjectFigures::instructions);
  std::string text = "  of what ran   its blocks  in\n";
  std::size_t shown = 0;
  for (const ObjectFigures& object : objects) {
    const double share = static_cast<double>(object.instructions) / instructions;
    if (shown == kShownObjects || (shown > 0 && share < kSmallShare)) break;
    text += line_of(object, share);
    ++shown;
  }
  if (shown < objects.size()) {
    text += fmt::format("                          {} more\n", objects.size() - shown);
  }
  return text;
}

std::string taken_of(const DynamicResult& result, const ExecutedCounts& total) {
  std::optional<std::int64_t> loops;
  if (result.loops) loops = static_cast<std::int64_t>(total.loops);
  return taken_text(result.blocks.size(), static_cast<std::int64_t>(total.places), loops);
}

std::string ran_of(const DynamicResult& result, const ExecutedCounts& total) {
  const std::string all = counted(total.executions, "time");
  return result.loops ? fmt::format("{} of {}", total.loop_executions, all) : all;
}

}  // namespace

std::string to_text(const DynamicResult& result) {
  const ExecutedCounts total = total_of(result);
  const std::uint64_t instructions = instructions_of(result);
  std::string text = fmt::format("{}, that ran {}; {}, {}; {:.2f} s\n", taken_of(result, total),
                                 ran_of(result, total), counted(instructions, "instruction"),
                                 counted(result.profiles, "profile"), result.seconds);
  if (instructions > 0) text += objects_text(result, static_cast<double>(instructions));
  text += to_text(total.skipped);
  if (total.not_in_file > 0) {
    text += fmt::format("    {:>9}  instructions that the file does not have\n", total.not_in_file);
  }
  return text + "  the CPU that the program saw has AVX2 at most\n";
}

ordered_json to_json(const DynamicResult& result) {
  ordered_json json = {{"distinct", result.blocks.size()}, {"seconds", result.seconds}};
  json["program"] = result.program;
  json["status"] = result.status;
  json["profiles"] = result.profiles;
  json["processes_left_out"] = result.left_out;
  json["instructions"] = instructions_of(result);
  json["total"] = to_json(total_of(result));
  json["objects"] = ordered_json::array();
  for (const ObjectFigures& object : result.objects) {
    ordered_json one = {{"path", object.path}, {"instructions", object.instructions}};
    if (object.passed_over.empty()) {
      one["distinct"] = object.distinct;
      one.update(to_json(object.counts));
    } else {
      one["passed_over"] = object.passed_over;
    }
    json["objects"].push_back(std::move(one));
  }
  json["remarks"] = result.remarks;
  return json;
}

}  // namespace assay

#include "harness/output/census_output.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/output/percent.h"
#include "profiler/support/counted.h"

namespace assay {
namespace {

using nlohmann::ordered_json;

/// Rows of the tables for people, by ranges of numbers that end at 1, 2, 4, 8, ...; empty ones are
/// left out.
template <typename Number>
std::vector<std::pair<std::string, Share>> doubling(const std::map<Number, Share>& shares) {
  std::vector<std::pair<std::string, Share>> rows;
  Number first = 1;
  Number last = 1;
  bool open = false;
  for (const auto& [number, share] : shares) {
    while (number > last) {
      first = last + 1;
      last *= 2;
      open = false;
    }
    if (!open) {
      rows.emplace_back(first == last ? fmt::format("{}", last) : fmt::format("{}-{}", first, last),
                        Share{});
    }
    open = true;
    rows.back().second.blocks += share.blocks;
    rows.back().second.weight += share.weight;
  }
  return rows;
}

class Table {
 public:
  Table(const Census& census, std::string& text) : all_(census.all), text_(text) {
    weighted_ = census.weighted > 0 && all_.weight > 0;
  }

  void title(std::string_view what) {
    text_ += fmt::format("\n{:<24}{:>12}{:>10}{}\n", what, "blocks", "share",
                         weighted_ ? fmt::format("{:>14}", "of weight") : "");
  }

  void row(std::string_view what, const Share& share) {
    text_ += fmt::format("  {:<22}{:>12}{:>9.2f}%", what, share.blocks,
                         percent(share.blocks, all_.blocks));
    if (weighted_) text_ += fmt::format("{:>13.2f}%", 100 * share.weight / all_.weight);
    text_ += '\n';
  }

 private:
  const Share& all_;
  std::string& text_;
  bool weighted_ = false;
};

std::vector<std::pair<std::string_view, Share>> most_frequent_first(
    const std::map<std::string_view, Share>& shares) {
  std::vector<std::pair<std::string_view, Share>> rows(shares.begin(), shares.end());
  std::ranges::stable_sort(rows, std::ranges::greater(),
                           [](const auto& row) { return row.second.blocks; });
  return rows;
}

std::string first_line(const Census& census) {
  std::string text = counted(census.all.blocks, "block");
  if (census.lines != census.all.blocks) text += " on " + counted(census.lines, "line");
  if (census.weighted > 0) text += fmt::format(", weight {:.6g}", census.all.weight);
  if (census.weighted > 0 && census.weighted < census.lines) {
    text += fmt::format(" ({} of the lines without)", census.lines - census.weighted);
  }
  if (census.bad_lines > 0) text += fmt::format("; bad lines: {}", census.bad_lines);
  return text + '\n';
}

ordered_json to_json(const Share& share) {
  return {{"blocks", share.blocks}, {"weight", share.weight}};
}

template <typename Shares, typename Name>
ordered_json to_json(const Shares& shares, Name name) {
  auto object = ordered_json::object();
  for (const auto& [key, share] : shares) object[std::string(name(key))] = to_json(share);
  return object;
}

}  // namespace

std::string to_text(const Census& census) {
  std::string text = first_line(census);
  Table table(census, text);
  table.title("traits");
  for (int i = 0; i < kCodeTraits; ++i) {
    table.row(name(static_cast<CodeTrait>(i)), census.traits.at(static_cast<std::size_t>(i)));
  }
  table.title("memory");
  for (int i = 0; i < kMemoryUses; ++i) {
    table.row(name(static_cast<MemoryUse>(i)), census.memory.at(static_cast<std::size_t>(i)));
  }
  table.row("RIP-relative", census.rip_relative);
  table.title("extensions");
  for (const auto& [extension, share] : most_frequent_first(census.extensions)) {
    table.row(extension, share);
  }
  table.title("instructions");
  for (const auto& [range, share] : doubling(census.instructions)) table.row(range, share);
  table.title("bytes");
  for (const auto& [range, share] : doubling(census.bytes)) table.row(range, share);
  if (!census.refusals.empty()) table.title("refused");
  for (const auto& [reason, share] : census.refusals) table.row(name(reason), share);
  return text;
}

ordered_json to_json(const Census& census) {
  const auto number = [](auto key) { return fmt::format("{}", key); };
  ordered_json json = {{"lines", census.lines},
                       {"blocks", census.all.blocks},
                       {"bad_lines", census.bad_lines},
                       {"weighted_lines", census.weighted},
                       {"weight", census.all.weight}};
  json["instructions"] = to_json(census.instructions, number);
  json["bytes"] = to_json(census.bytes, number);
  json["extensions"] = to_json(census.extensions, [](std::string_view key) { return key; });
  for (int i = 0; i < kMemoryUses; ++i) {
    json["memory"][std::string(name(static_cast<MemoryUse>(i)))] =
        to_json(census.memory.at(static_cast<std::size_t>(i)));
  }
  json["rip_relative"] = to_json(census.rip_relative);
  for (int i = 0; i < kCodeTraits; ++i) {
    json["traits"][std::string(name(static_cast<CodeTrait>(i)))] =
        to_json(census.traits.at(static_cast<std::size_t>(i)));
  }
  json["refused"] = to_json(census.refusals, [](Reason key) { return name(key); });
  return json;
}

}  // namespace assay

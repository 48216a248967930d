#include "harness/output/merge_output.h"
#include "profiler/support/printable.h"
#include "profiler/support/version.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "harness/output/json_text.h"
#include "profiler/support/counted.h"

namespace assay {
namespace {

using nlohmann::ordered_json;

ordered_json or_null(const std::optional<std::int64_t>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

/// The settings as a JSON object; if a store holds something else there, an object with that text.
ordered_json settings_of(const CorpusCoverage& cut) {
  const auto settings = ordered_json::parse(cut.settings, nullptr, false);
  return settings.is_object() ? settings : ordered_json{{"unreadable", cut.settings}};
}

ordered_json to_json(const MergedStore& store) {
  return {{"db", store.path.string()},
          {"added", store.added},
          {"replaced", store.replaced},
          {"known", store.known}};
}

ordered_json to_json(const Unfinished& unfinished) {
  ordered_json json = {{"db", unfinished.store.string()},
                       {"machine", unfinished.campaign.machine.brand},
                       {"version", unfinished.campaign.program_version}};
  const auto& coverage = unfinished.coverage;
  json["corpus"] = coverage ? ordered_json(coverage->corpus) : ordered_json();
  json["notion"] = coverage ? ordered_json(name(coverage->notion)) : ordered_json();
  json["shard"] = coverage ? ordered_json(coverage->shard) : ordered_json();
  json["shards"] = coverage ? ordered_json(coverage->shards) : ordered_json();
  json["limit"] = coverage ? or_null(coverage->limit) : ordered_json();
  return json;
}

ordered_json to_json(const CorpusCoverage& cut) {
  return {{"machine", cut.machine.brand},   {"microarchitecture", cut.machine.microarchitecture},
          {"version", cut.program_version}, {"settings", settings_of(cut)},
          {"corpus", cut.corpus},           {"notion", name(cut.notion)},
          {"limit", or_null(cut.limit)},    {"shards", cut.shards},
          {"complete", cut.is_complete()},  {"complete_shards", cut.complete},
          {"incomplete_shards", cut.begun}, {"missing_shards", cut.missing()},
          {"digest", cut.digest},           {"blocks", cut.blocks}};
}

/// A corpus under a notion, in words: "the first 1000 blocks of bhive, unrolled".
std::string corpus_text(const std::string& corpus, Notion notion,
                        const std::optional<std::int64_t>& limit) {
  const std::string part = limit ? fmt::format("the first {} of ", counted(*limit, "block")) : "";
  return fmt::format("{}{}, {}", part, printable_name(corpus), name(notion));
}

std::string to_text(const Unfinished& unfinished) {
  if (!unfinished.coverage) {
    return fmt::format("{}: does not record which corpora it covers", unfinished.store.string());
  }
  const Coverage& coverage = *unfinished.coverage;
  const std::string shard =
      coverage.shards > 1 ? fmt::format(", shard {}/{}", coverage.shard, coverage.shards) : "";
  return fmt::format("{}: {}{}", unfinished.store.string(),
                     corpus_text(coverage.corpus, coverage.notion, coverage.limit), shard);
}

std::string list_of(const std::vector<Unfinished>& unfinished) {
  std::string text;
  for (const Unfinished& one : unfinished) text += fmt::format("  {}\n", to_text(one));
  return text;
}

std::string ranges_text(const std::vector<std::pair<std::int64_t, std::int64_t>>& ranges) {
  std::vector<std::string> all;
  for (const auto& [first, last] : ranges) {
    all.push_back(first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last));
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

/// How far the shards have come: "complete", or which ones are not.
std::string state_text(const CorpusCoverage& cut) {
  if (cut.is_complete()) return "complete";
  std::vector<std::string> parts;
  if (!cut.begun.empty())
    parts.push_back(fmt::format("incomplete: {}", fmt::join(cut.begun, ", ")));
  if (!cut.missing().empty()) parts.push_back("missing: " + ranges_text(cut.missing()));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string to_text(const CorpusCoverage& cut) {
  if (cut.shards == 1) {
    return fmt::format(
        "  {}: {}\n", corpus_text(cut.corpus, cut.notion, cut.limit),
        cut.is_complete() ? "complete, " + counted(cut.blocks, "block") : "incomplete");
  }
  return fmt::format("  {}: {} of {}, {}, {}\n", corpus_text(cut.corpus, cut.notion, cut.limit),
                     cut.complete.size(), counted(cut.shards, "shard"),
                     counted(cut.blocks, "block"), state_text(cut));
}

/// The settings of `cut` in which it differs from any of the others, so that a reader can tell them
/// apart.
std::string settings_text(const CorpusCoverage& cut, const std::vector<CorpusCoverage>& all) {
  const ordered_json settings = settings_of(cut);
  std::string text;
  for (const auto& [key, value] : settings.items()) {
    for (const CorpusCoverage& other : all) {
      const ordered_json others = settings_of(other);
      if (others.contains(key) && others[key] == value) continue;
      text += fmt::format(", {} {}", key, json_text(value));
      break;
    }
  }
  return text;
}

/// A heading for each machine with its settings, followed by lines for its corpora.
std::string coverage_text(const std::vector<CorpusCoverage>& all) {
  std::string text;
  std::string last;
  for (const CorpusCoverage& cut : all) {
    const std::string heading =
        fmt::format("{} ({}), assay {}{}:\n", printable_name(cut.machine.brand),
                    printable_name(cut.machine.microarchitecture),
                    printable_name(cut.program_version), settings_text(cut, all));
    if (heading != last) text += heading;
    last = heading;
    text += to_text(cut);
  }
  return text;
}

}  // namespace

ordered_json to_json(const MergeResult& result, const MergeRequest& request) {
  auto stores = ordered_json::array();
  auto unfinished = ordered_json::array();
  auto coverage = ordered_json::array();
  for (const MergedStore& store : result.stores) stores.push_back(to_json(store));
  for (const Unfinished& one : result.unfinished) unfinished.push_back(to_json(one));
  for (const CorpusCoverage& cut : result.coverage) coverage.push_back(to_json(cut));
  return {{"format", "assay-merge"},
          {"version", 1},
          {"program", program_version()},
          {"db", request.out.string()},
          {"merged", result.merged},
          {"interrupted", result.interrupted},
          {"partial", request.partial},
          {"blocks", result.merged ? ordered_json(result.blocks) : ordered_json()},
          {"measurements", result.merged ? ordered_json(result.measurements) : ordered_json()},
          {"stores", stores},
          {"incomplete", unfinished},
          {"coverage", coverage}};
}

std::string to_text(const MergeResult& result, const MergeRequest& request) {
  std::string text;
  for (const MergedStore& store : result.stores) {
    text += fmt::format("{}: {} new, {} replaced others, {} not taken\n", store.path.string(),
                        store.added, store.replaced, store.known);
  }
  text += fmt::format("{}, {} in {}\n", counted(result.blocks, "block"),
                      counted(result.measurements, "outcome"), request.out.string());
  text += coverage_text(result.coverage);
  if (result.unfinished.empty()) return text;
  return text + "incomplete, but taken (--partial):\n" + list_of(result.unfinished);
}

std::string refusal(const MergeResult& result, const MergeRequest& request) {
  return fmt::format(
      "not complete:\n{}run the same `assay profile` command again to complete them (nothing is "
      "measured twice), or take them as they are with --partial; nothing was merged into {}\n",
      list_of(result.unfinished), request.out.string());
}

}  // namespace assay

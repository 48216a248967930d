#include "results/corpus_coverage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "profiler/block/error.h"

namespace assay {
namespace {

/// What tells a corpus under a notion, in campaigns that count together, from another.
auto corpus_key(const CorpusCoverage& cut) {
  return std::tie(cut.machine, cut.program_version, cut.settings, cut.corpus, cut.notion);
}
auto corpus_key(const StoredCoverage& part) {
  return std::tie(part.campaign.machine, part.campaign.program_version, part.campaign.settings,
                  part.coverage.corpus, part.coverage.notion);
}

/// And one cut of it from another.
auto key(const CorpusCoverage& cut) {
  return std::tuple_cat(corpus_key(cut), std::tie(cut.shards, cut.limit));
}
auto key(const StoredCoverage& part) {
  return std::tuple_cat(corpus_key(part), std::tie(part.coverage.shards, part.coverage.limit));
}

CorpusCoverage cut_of(const StoredCoverage& part) {
  return {.machine = part.campaign.machine,
          .program_version = part.campaign.program_version,
          .settings = part.campaign.settings,
          .corpus = part.coverage.corpus,
          .notion = part.coverage.notion,
          .limit = part.coverage.limit,
          .shards = part.coverage.shards,
          .complete = {},
          .begun = {},
          .digest = ""};
}

void add(CorpusCoverage& cut, const Coverage& coverage) {
  if (!coverage.complete) {
    if (!cut.complete.contains(coverage.shard)) cut.begun.insert(coverage.shard);
    return;
  }
  cut.begun.erase(coverage.shard);
  if (cut.complete.insert(coverage.shard).second) cut.blocks += coverage.blocks;
  cut.digest = std::max(cut.digest, coverage.digest);
}

/// The shards of a cut by the digest of their corpus, in words.
std::string by_digest(std::span<const StoredCoverage> stored, const CorpusCoverage& cut) {
  std::map<std::string, std::set<std::string>> shards;
  for (const StoredCoverage& part : stored) {
    const Coverage& coverage = part.coverage;
    if (!coverage.complete || key(part) != key(cut)) continue;
    shards[coverage.digest].insert(
        fmt::format("{}/{} in {}", coverage.shard, coverage.shards, part.store.string()));
  }
  std::string text;
  for (const auto& [digest, names] : shards) {
    text += fmt::format("\n  digest {}: {}", digest, fmt::join(names, ", "));
  }
  return text;
}

/// The first blocks of a call with a limit depend on what else was in the call: no two need agree.
void check_digests(std::span<const StoredCoverage> stored, std::span<const CorpusCoverage> cuts) {
  for (const StoredCoverage& part : stored) {
    if (!part.coverage.complete || part.coverage.limit) continue;
    const auto cut = std::ranges::find_if(
        cuts, [&part](const CorpusCoverage& other) { return key(other) == key(part); });
    if (cut->digest == part.coverage.digest) continue;
    throw InputError(fmt::format(
        "the corpus '{}' is not the same everywhere: shards of it were measured from files with "
        "different blocks:{}\nrun `assay profile` again with one file for all of them, or merge "
        "those of the other file into a store of their own",
        cut->corpus, by_digest(stored, *cut)));
  }
}

bool is_whole(const CorpusCoverage& cut) { return !cut.limit && cut.is_complete(); }

}  // namespace

std::vector<std::pair<std::int64_t, std::int64_t>> CorpusCoverage::missing() const {
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  std::set<std::int64_t> known = complete;
  known.insert(begun.begin(), begun.end());
  known.insert(shards + 1);
  std::int64_t next = 1;
  for (const std::int64_t shard : known) {
    if (shard > next) ranges.emplace_back(next, shard - 1);
    next = shard + 1;
  }
  return ranges;
}

std::vector<CorpusCoverage> combine(std::span<const StoredCoverage> stored) {
  std::vector<CorpusCoverage> cuts;
  for (const StoredCoverage& part : stored) {
    auto cut = std::ranges::find_if(
        cuts, [&part](const CorpusCoverage& other) { return key(other) == key(part); });
    if (cut == cuts.end()) cut = cuts.insert(cut, cut_of(part));
    add(*cut, part.coverage);
  }
  check_digests(stored, cuts);
  std::ranges::sort(cuts, [](const auto& a, const auto& b) { return key(a) < key(b); });
  const std::vector<CorpusCoverage> all = cuts;
  std::erase_if(cuts, [&all](const CorpusCoverage& cut) {
    return cut.complete.empty() && std::ranges::any_of(all, [&cut](const CorpusCoverage& other) {
             return is_whole(other) && corpus_key(other) == corpus_key(cut);
           });
  });
  return cuts;
}

bool is_completed_by(std::span<const CorpusCoverage> all, const StoredCoverage& part) {
  return std::ranges::any_of(all, [&part](const CorpusCoverage& cut) {
    if (corpus_key(cut) != corpus_key(part)) return false;
    if (is_whole(cut)) return true;
    return cut.shards == part.coverage.shards && cut.complete.contains(part.coverage.shard) &&
           (!cut.limit || cut.limit == part.coverage.limit);
  });
}

}  // namespace assay

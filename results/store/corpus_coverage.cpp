#include "results/store/corpus_coverage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "profiler/support/error.h"
#include "profiler/support/printable.h"

namespace assay {
namespace {

/// What identifies a corpus under a notion, in campaigns that count together.
auto corpus_key(const CorpusCoverage& cut) {
  return std::tie(cut.machine, cut.program_version, cut.settings, cut.corpus, cut.notion);
}
auto corpus_key(const StoredCoverage& part) {
  return std::tie(part.campaign.machine, part.campaign.program_version, part.campaign.settings,
                  part.coverage.corpus, part.coverage.notion);
}

/// What identifies a cut of a corpus under a notion, in campaigns that count together.
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

/// The parts of one corpus, in words, by their digests.
using PartsByDigest = std::map<std::string, std::set<std::string>>;

std::string in_words(const PartsByDigest& parts) {
  std::string text;
  for (const auto& [digest, names] : parts) {
    text += fmt::format("\n  digest {}: {}", digest, fmt::join(names, ", "));
  }
  return text;
}

void check_digests(std::span<const StoredCoverage> stored) {
  std::map<std::string, PartsByDigest> corpora;
  for (const auto& [store, campaign, coverage] : stored) {
    if (coverage.digest.empty()) continue;
    corpora[coverage.corpus][coverage.digest].insert(
        fmt::format("{}/{} in {}", coverage.shard, coverage.shards, store.string()));
  }
  for (const auto& [corpus, parts] : corpora) {
    if (parts.size() < 2) continue;
    throw InputError(fmt::format(
        "the corpus '{}' is not the same everywhere: parts of it were measured from files with "
        "different blocks, lines or frequencies:{}\nrun `assay profile` again with one file for "
        "all of them (nothing is measured twice), or merge those of the other file into a store of "
        "their own",
        printable_name(corpus), in_words(parts)));
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
  check_digests(stored);
  std::vector<CorpusCoverage> cuts;
  for (const StoredCoverage& part : stored) {
    auto cut = std::ranges::find_if(
        cuts, [&part](const CorpusCoverage& other) { return key(other) == key(part); });
    if (cut == cuts.end()) cut = cuts.insert(cut, cut_of(part));
    add(*cut, part.coverage);
  }
  std::ranges::sort(cuts, [](const auto& a, const auto& b) { return key(a) < key(b); });
  const std::vector<CorpusCoverage> all = cuts;
  std::erase_if(cuts, [&](const CorpusCoverage& cut) {
    return cut.complete.empty() && std::ranges::all_of(stored, [&](const StoredCoverage& part) {
             return key(part) != key(cut) || is_completed_by(all, part);
           });
  });
  return cuts;
}

bool is_completed_by(std::span<const CorpusCoverage> all, const StoredCoverage& part) {
  return std::ranges::any_of(all, [&part](const CorpusCoverage& cut) {
    const std::string& digest = part.coverage.digest;
    if (corpus_key(cut) != corpus_key(part) || digest.empty() || cut.digest != digest) return false;
    if (is_whole(cut)) return true;
    return cut.shards == part.coverage.shards && cut.complete.contains(part.coverage.shard) &&
           (!cut.limit || cut.limit == part.coverage.limit);
  });
}

}  // namespace assay

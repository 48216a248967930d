#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "results/store/corpus_coverage.h"

namespace assay {

struct MergeRequest {
  std::filesystem::path out;              ///< the store to merge into; created if there is none
  std::vector<std::filesystem::path> in;  ///< the stores to be merged; they are only read
  bool partial = false;                   ///< take stores that are not complete, too
  std::function<bool()> interrupted;      ///< called often; once it returns true, nothing is merged
};

/// A campaign in a store that is not complete.
struct Unfinished {
  std::filesystem::path store;
  Campaign campaign;
  /// The corpus and shard; nothing if the store has outcomes of the campaign but no coverage, which
  /// no campaign leaves behind.
  std::optional<Coverage> coverage;
};

/// A store that was merged, and what became of its outcomes.
struct MergedStore {
  std::filesystem::path path;
  std::int64_t added = 0;
  std::int64_t replaced = 0;  ///< taken in place of others
  std::int64_t known = 0;     ///< not taken: they, or ones preferred to them, were there already
};

struct MergeResult {
  bool merged = false;  ///< if false, `out` is as it was: see `unfinished` and `interrupted`
  bool interrupted = false;
  std::vector<Unfinished> unfinished;    ///< in the stores to be merged, not in `out`
  std::vector<MergedStore> stores;       ///< in the order of the request, each file once
  std::vector<CorpusCoverage> coverage;  ///< of all stores together, with `out`
  std::int64_t blocks = 0;               ///< in `out` after merging
  std::int64_t measurements = 0;         ///< in `out` after merging
};

/// Merges stores into one (see ContentMerger for which rows are kept), all of them or none:
/// whenever this is stopped, `out` is as it was before, or has everything. If a store is incomplete
/// nothing is merged, unless `partial` is set or what it lacks is complete in another of the stores
/// or in `out`. `out` itself and files that were named before are passed over. Throws InputError
/// and EnvironmentError as Store::open and Store::open_read_only do, and InputError for a store to
/// be merged that holds no campaign, for a damaged one and for corpora with different blocks under
/// one name (combine()).
MergeResult merge_stores(const MergeRequest& request);

}  // namespace assay

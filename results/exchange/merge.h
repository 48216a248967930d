#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "results/store/corpus_coverage.h"

namespace assay {

struct MergeRequest {
  std::filesystem::path out;              ///< made if there is none
  std::vector<std::filesystem::path> in;  ///< only ever read
  bool partial = false;                   ///< take stores too that are not complete
  std::function<bool()> interrupted;      ///< asked often; once true, nothing is merged
};

/// What a store has of a campaign that is not complete.
struct Unfinished {
  std::filesystem::path store;
  Campaign campaign;
  /// Which corpus and shard; nothing if the store has outcomes and does not say of which corpora
  /// they are all, which no campaign leaves behind.
  std::optional<Coverage> coverage;
};

/// A store that was merged, and what became of its outcomes.
struct MergedStore {
  std::filesystem::path path;
  std::int64_t added = 0;
  std::int64_t replaced = 0;  ///< taken in place of others
  std::int64_t known = 0;     ///< there already, or others in place of them
};

struct MergeResult {
  bool merged = false;  ///< if not, `out` says what it did: see `unfinished` and `interrupted`
  bool interrupted = false;
  std::vector<Unfinished> unfinished;    ///< of the stores to be merged, not of `out`
  std::vector<MergedStore> stores;       ///< in the order of the request, each file once
  std::vector<CorpusCoverage> coverage;  ///< of all together
  std::int64_t blocks = 0;               ///< in `out` now, as the next
  std::int64_t measurements = 0;
};

/// Merges stores into one (see ContentMerger for which rows are kept), all of them or none:
/// whenever it is stopped, `out` says what it did before, or has everything. A store that is
/// incomplete keeps it from that, unless `partial` is set or the same is complete in another of
/// them or in `out`. `out` itself and a file that was named before are passed over. Throws
/// InputError and EnvironmentError as Store::open and Store::open_read_only do, and InputError for
/// a damaged store and for corpora with different blocks under one name (combine()).
MergeResult merge_stores(const MergeRequest& request);

}  // namespace assay

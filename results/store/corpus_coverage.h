#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "results/store/campaign.h"
#include "results/store/coverage.h"

namespace assay {

/// How far one store says that a campaign has come with a corpus, or with a shard of it.
struct StoredCoverage {
  std::filesystem::path store;
  Campaign campaign;
  Coverage coverage;
};

/// How far campaigns have come with one cut of a corpus, that is with its `shards` shards and
/// `limit`, under a notion. It is of all campaigns with the same machine, program version and
/// settings together: their environments may differ, as after an update of the kernel.
struct CorpusCoverage {
  Machine machine;
  std::string program_version;
  std::string settings;
  std::string corpus;
  Notion notion = Notion::kUnrolled;
  std::optional<std::int64_t> limit;
  std::int64_t shards = 1;
  std::set<std::int64_t> complete;  ///< shards that some campaign has completed
  std::set<std::int64_t> begun;     ///< shards that were begun and that no campaign has completed
  std::string digest;               ///< of the corpus; empty while no shard is complete
  std::int64_t blocks = 0;          ///< distinct blocks in the complete shards

  bool is_complete() const { return static_cast<std::int64_t>(complete.size()) == shards; }
  /// The shards that no campaign has begun, in order, as ranges that include both ends.
  std::vector<std::pair<std::int64_t, std::int64_t>> missing() const;
};

/// Sums up what stores say, in an order that depends on the content alone. A cut in which nothing
/// is complete is left out if everything that was begun of it is complete in other cuts. Throws
/// InputError, with the names of the stores, if they know different corpora by one name: a store
/// can hold only one.
std::vector<CorpusCoverage> combine(std::span<const StoredCoverage> stored);

/// Whether one of `all` has completed the shard that `part` is about, or its whole corpus, with the
/// same digest. False for a part without a digest, since nobody can know.
bool is_completed_by(std::span<const CorpusCoverage> all, const StoredCoverage& part);

}  // namespace assay

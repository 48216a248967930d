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

/// What one store says of one corpus, or of a shard of it.
struct StoredCoverage {
  std::filesystem::path store;
  Campaign campaign;
  Coverage coverage;
};

/// How far one cut of a corpus has come under a notion, in all campaigns of one machine, program
/// version and settings together: their environments may differ, as after an update of the kernel.
struct CorpusCoverage {
  Machine machine;
  std::string program_version;
  std::string settings;
  std::string corpus;
  Notion notion = Notion::kUnrolled;
  std::optional<std::int64_t> limit;
  std::int64_t shards = 1;
  std::set<std::int64_t> complete;  ///< shards that some campaign has completed
  std::set<std::int64_t> begun;     ///< shards that were begun, and completed by none
  std::string digest;               ///< of the corpus; empty while no shard is complete
  std::int64_t blocks = 0;          ///< distinct ones, of the shards that are complete

  bool is_complete() const { return static_cast<std::int64_t>(complete.size()) == shards; }
  /// The shards of which nothing is known, as ranges with both ends, in their order.
  std::vector<std::pair<std::int64_t, std::int64_t>> missing() const;
};

/// Adds up what stores say, in an order that depends on the content alone. Left out is a cut with
/// nothing complete of which all is complete in others. Throws InputError that names the stores if
/// they know different corpora by one name: a store can hold but one.
std::vector<CorpusCoverage> combine(std::span<const StoredCoverage> stored);

/// Whether what `part` is about is complete in one of `all`: the shard itself, or the whole corpus,
/// with the same digest. Of a part without a digest nobody can know.
bool is_completed_by(std::span<const CorpusCoverage> all, const StoredCoverage& part);

}  // namespace assay

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/block/bytes.h"
#include "profiler/measurement/measurement.h"
#include "results/store/block_record.h"
#include "results/store/campaign.h"

namespace SQLite {
class Database;
}

namespace assay {

/// Which outcomes are read.
struct OutcomeQuery {
  CampaignId campaign{};
  std::optional<Notion> notion{};  ///< unset: all notions
  /// Only blocks that stand in this corpus, and only their sources in it; unset: all corpora.
  std::optional<std::string> corpus{};
};

/// What became of a block under one notion, with all that the store knows of it.
struct StoredOutcome {
  BlockRecord block;
  Measurement measurement;
  std::string measured_at;            ///< UTC, ISO 8601
  std::vector<SourceRecord> sources;  ///< in the order of corpus and line
};

/// Reads the outcomes of a campaign one by one, ordered by the blocks' bytes (as memcmp() orders
/// them, a block before those that it begins), then in the same way by their own states (the empty
/// one first), and then by notion: the same order for the same outcomes in any store. Memory does
/// not grow with the store.
class OutcomeReader {
 public:
  /// For Store::outcomes(). `database` must outlive the reader; `path` is for messages.
  OutcomeReader(SQLite::Database& database, std::filesystem::path path, OutcomeQuery query);
  OutcomeReader(OutcomeReader&& other) noexcept;
  OutcomeReader& operator=(OutcomeReader&& other) noexcept;
  ~OutcomeReader();

  /// The next outcome; nothing after the last. Throws as Store does.
  std::optional<StoredOutcome> next();

 private:
  class Rows;
  std::unique_ptr<Rows> rows_;
};

}  // namespace assay

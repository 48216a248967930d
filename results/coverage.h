#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/protocol/measurement.h"
#include "results/campaign.h"

namespace SQLite {
class Database;
}

namespace assay {

/// How far a campaign has come with a corpus, or a shard of one, under a notion. Corpus, notion,
/// shard, shards and limit tell one from another.
struct Coverage {
  std::string corpus;  ///< name, as in SourceRecord
  Notion notion = Notion::kUnrolled;
  std::int64_t shard = 1;   ///< which, from 1
  std::int64_t shards = 1;  ///< into how many the corpus was cut; 1: it is the whole
  /// Only so many distinct blocks were asked for, at least 1; unset: all.
  std::optional<std::int64_t> limit;
  bool complete = false;  ///< every block of it came to an outcome
  /// Of the whole corpus' blocks, in lower-case hex, so that all shards of a corpus have the same;
  /// empty until it is complete.
  std::string digest;
  std::int64_t blocks = 0;  ///< distinct ones in the shard; 0 until it is complete
  auto operator<=>(const Coverage&) const = default;
};

/// Marks it incomplete, unless it is complete with the same digest, which may be known beforehand.
/// Throws SQLite::Exception. For Store.
void write_begun(SQLite::Database& database, CampaignId campaign, const Coverage& coverage);
/// Marks it complete. Throws SQLite::Exception, also if there is no digest. For Store.
void write_complete(SQLite::Database& database, CampaignId campaign, const Coverage& coverage);
/// All of a campaign, in the order of the fields. Throws SQLite::Exception, and InputError for a
/// notion that assay does not know. For Store.
std::vector<Coverage> read_coverage(SQLite::Database& database, CampaignId campaign);

}  // namespace assay

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/measurement/measurement.h"
#include "results/store/campaign.h"

namespace SQLite {
class Database;
}

namespace assay {

/// How far a campaign has come with a corpus, or a shard of one, under a notion. Within a campaign
/// it is identified by corpus, notion, shard, shards and limit.
struct Coverage {
  std::string corpus;  ///< name, as in SourceRecord
  Notion notion = Notion::kUnrolled;
  std::int64_t shard = 1;   ///< number of the shard, from 1
  std::int64_t shards = 1;  ///< number of shards of the corpus; 1: this is the whole corpus
  /// How many distinct blocks were asked for, at least 1; unset: all.
  std::optional<std::int64_t> limit;
  bool complete = false;  ///< every block of the shard has an outcome
  /// BlocksDigest of the whole corpus, in lower-case hex, the same for all shards and limits of a
  /// corpus; empty while it is not known because nobody has read the corpus to its end.
  std::string digest;
  std::int64_t blocks = 0;  ///< distinct blocks in the shard; 0 until it is complete
  auto operator<=>(const Coverage&) const = default;
};

/// Marks the coverage as incomplete, unless it is complete with the same digest and without a
/// limit. (With a limit it cannot stay complete: which blocks come first depends on what else is in
/// a call.) A digest that the store does not know for the corpus yet means that the corpus has
/// changed: its sources are removed, to be written anew, and all coverage of it becomes incomplete
/// with the new digest. The sources of a whole corpus without a digest are removed, too. Throws
/// SQLite::Exception. For Store, in a transaction.
void write_begun(SQLite::Database& database, CampaignId campaign, const Coverage& coverage);
/// Marks the coverage as complete, and coverage of the same corpus with another digest as
/// incomplete. Throws SQLite::Exception, also if there is neither digest nor limit. For Store, in a
/// transaction.
void write_complete(SQLite::Database& database, CampaignId campaign, const Coverage& coverage);
/// All coverage of a campaign, in the order of the fields. Throws SQLite::Exception, and InputError
/// for a notion that assay does not know. For Store.
std::vector<Coverage> read_coverage(SQLite::Database& database, CampaignId campaign);

}  // namespace assay

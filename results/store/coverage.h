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
  /// Of the whole corpus (BlocksDigest), in lower-case hex, so that all shards and limits of a
  /// corpus have the same; empty while it is not known, as nobody has read the corpus to its end.
  std::string digest;
  std::int64_t blocks = 0;  ///< distinct ones in the shard; 0 until it is complete
  auto operator<=>(const Coverage&) const = default;
};

/// Marks it incomplete, unless it is complete with the same digest and without a limit: the first
/// blocks of a call depend on what else is in it. A digest that the store does not
/// know for the corpus yet is that of a corpus which has changed: its sources are removed, to be
/// written anew, and all that was said of it is incomplete with the new digest. So are the sources
/// of a whole corpus without a digest. Throws SQLite::Exception. For Store, in a transaction.
void write_begun(SQLite::Database& database, CampaignId campaign, const Coverage& coverage);
/// Marks it complete, and what was said of the corpus with another digest incomplete. Throws
/// SQLite::Exception, also if there is neither digest nor limit. For Store, in a transaction.
void write_complete(SQLite::Database& database, CampaignId campaign, const Coverage& coverage);
/// All of a campaign, in the order of the fields. Throws SQLite::Exception, and InputError for a
/// notion that assay does not know. For Store.
std::vector<Coverage> read_coverage(SQLite::Database& database, CampaignId campaign);

}  // namespace assay

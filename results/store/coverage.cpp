#include "results/store/coverage.h"

#include <SQLiteCpp/Database.h>

#include "results/store/query.h"

namespace assay {
namespace {

constexpr std::int64_t kNoLimit = 0;  // stands for no limit, since a part of a key cannot be NULL

bool is_known(SQLite::Database& database, const Coverage& coverage) {
  SQLite::Statement select(database,
                           "SELECT 1 FROM coverage WHERE corpus = ?1 AND digest = ?2 LIMIT 1");
  return Query(select, coverage.corpus, coverage.digest).next();
}

/// Whether the sources of the corpus have to be removed because all of them will be written anew.
bool replaces_sources(SQLite::Database& database, const Coverage& coverage) {
  if (!coverage.digest.empty()) return !is_known(database, coverage);
  return coverage.shards == 1 && !coverage.limit;
}

void remove_sources(SQLite::Database& database, const std::string& corpus) {
  SQLite::Statement remove(database, "DELETE FROM source WHERE corpus = ?1");
  Query(remove, corpus).run();
}

/// Marks coverage of an earlier corpus of this name as incomplete: a store knows one corpus by a
/// name, and what was complete for the earlier one is not complete for this one.
void take_for_the_corpus(SQLite::Database& database, const Coverage& coverage) {
  if (coverage.digest.empty()) return;
  SQLite::Statement update(database,
                           "UPDATE coverage SET complete = 0, digest = ?2, blocks = 0 "
                           "WHERE corpus = ?1 AND digest NOT IN ('', ?2)");
  Query(update, coverage.corpus, coverage.digest).run();
}

}  // namespace

void write_begun(SQLite::Database& database, CampaignId campaign, const Coverage& coverage) {
  if (replaces_sources(database, coverage)) remove_sources(database, coverage.corpus);
  take_for_the_corpus(database, coverage);
  // A row stays as it is, complete or not, if its digest is the same and known, and has no limit.
  SQLite::Statement upsert(
      database,
      "INSERT INTO coverage (campaign, corpus, notion, shard, shards, block_limit, complete, "
      "digest, blocks) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, ?7, 0) ON CONFLICT DO UPDATE "
      "SET complete = 0, digest = ?7, blocks = 0 WHERE digest <> ?7 OR ?7 = '' OR ?6 > 0");
  Query(upsert, campaign, coverage.corpus, coverage.notion, coverage.shard, coverage.shards,
        coverage.limit.value_or(kNoLimit), coverage.digest)
      .run();
}

void write_complete(SQLite::Database& database, CampaignId campaign, const Coverage& coverage) {
  take_for_the_corpus(database, coverage);
  SQLite::Statement upsert(
      database,
      "INSERT INTO coverage (campaign, corpus, notion, shard, shards, block_limit, complete, "
      "digest, blocks) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7, ?8) ON CONFLICT DO UPDATE "
      "SET complete = 1, digest = excluded.digest, blocks = excluded.blocks");
  Query(upsert, campaign, coverage.corpus, coverage.notion, coverage.shard, coverage.shards,
        coverage.limit.value_or(kNoLimit), coverage.digest, coverage.blocks)
      .run();
}

std::vector<Coverage> read_coverage(SQLite::Database& database, CampaignId campaign) {
  SQLite::Statement select(
      database,
      "SELECT corpus, notion, shard, shards, block_limit, complete, digest, blocks FROM coverage "
      "WHERE campaign = ?1 ORDER BY corpus, notion, shard, shards, block_limit");
  std::vector<Coverage> all;
  for (Query row(select, campaign); row.next();) {
    Coverage& coverage = all.emplace_back();
    coverage.corpus = row.text(0);
    coverage.notion = known<Notion>(row.text(1));
    coverage.shard = row.integer(2);
    coverage.shards = row.integer(3);
    if (row.integer(4) != kNoLimit) coverage.limit = row.integer(4);
    coverage.complete = row.integer(5) != 0;
    coverage.digest = row.text(6);
    coverage.blocks = row.integer(7);
  }
  return all;
}

}  // namespace assay

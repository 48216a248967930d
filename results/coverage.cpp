#include "results/coverage.h"

#include <SQLiteCpp/Database.h>

#include "results/known.h"
#include "results/query.h"

namespace assay {
namespace {

constexpr std::int64_t kNoLimit = 0;  // in the table: a part of a key cannot be NULL

}  // namespace

void write_begun(SQLite::Database& database, CampaignId campaign, const Coverage& coverage) {
  SQLite::Statement upsert(
      database,
      "INSERT INTO coverage (campaign, corpus, notion, shard, shards, block_limit, complete, "
      "digest, blocks) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, '', 0) "
      "ON CONFLICT DO UPDATE SET complete = 0, digest = '', blocks = 0 WHERE digest <> ?7");
  Query(upsert, static_cast<std::int64_t>(campaign), coverage.corpus, name(coverage.notion),
        coverage.shard, coverage.shards, coverage.limit.value_or(kNoLimit), coverage.digest)
      .run();
}

void write_complete(SQLite::Database& database, CampaignId campaign, const Coverage& coverage) {
  SQLite::Statement upsert(
      database,
      "INSERT INTO coverage (campaign, corpus, notion, shard, shards, block_limit, complete, "
      "digest, blocks) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7, ?8) ON CONFLICT DO UPDATE "
      "SET complete = 1, digest = excluded.digest, blocks = excluded.blocks");
  Query(upsert, static_cast<std::int64_t>(campaign), coverage.corpus, name(coverage.notion),
        coverage.shard, coverage.shards, coverage.limit.value_or(kNoLimit), coverage.digest,
        coverage.blocks)
      .run();
}

std::vector<Coverage> read_coverage(SQLite::Database& database, CampaignId campaign) {
  SQLite::Statement select(
      database,
      "SELECT corpus, notion, shard, shards, block_limit, complete, digest, blocks FROM coverage "
      "WHERE campaign = ?1 ORDER BY corpus, notion, shard, shards, block_limit");
  std::vector<Coverage> all;
  for (Query row(select, static_cast<std::int64_t>(campaign)); row.next();) {
    const std::string notion = row.text(1);
    Coverage& coverage = all.emplace_back();
    coverage.corpus = row.text(0);
    coverage.notion = known(notion_named(notion), notion);
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

#include "results/exchange/content_merger.h"

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

#include "profiler/block/verdict.h"
#include "profiler/support/error.h"
#include "results/exchange/row_merger.h"
#include "results/store/campaign.h"
#include "results/store/list_rows.h"
#include "results/store/query.h"

namespace assay {
namespace {

/// An SQL expression: whether the row's outcome has a reason that cannot be the moment's
/// (may_pass). "{}" stands for the row's name.
const std::string& lasting() {
  static const std::string expression = [] {
    std::vector<std::string> passing;
    for (const ReasonInfo& info : all_reasons()) {
      if (may_pass(info.reason)) passing.push_back(fmt::format("'{}'", info.name));
    }
    return fmt::format("{{}}.reason NOT IN ({})", fmt::join(passing, ", "));
  }();
  return expression;
}

MergedTable block_table() {
  return {.name = "block", .own_keys = {}, .keys = {"bytes", "state"}, .rank = {"{}.instructions"}};
}

MergedTable source_table() {
  return {.name = "source", .own_keys = {"block"}, .keys = {"corpus", "line"}, .rank = {}};
}

/// `name`: measurement or recheck.
MergedTable measurement_table(std::string_view name) {
  return {.name = name,
          .own_keys = {"campaign", "block"},
          .keys = {"notion"},
          .rank = {"{}.settled", lasting(), "{}.measured_at"}};
}

/// The table of coverage. A complete row has the greater rank: a shard that was run twice, and only
/// once to its end, is complete.
MergedTable coverage_table() {
  return {.name = "coverage",
          .own_keys = {"campaign"},
          .keys = {"corpus", "notion", "shard", "shards", "block_limit"},
          .rank = {"{}.complete", "{}.blocks"}};
}

// Rows read from another store begin with these columns of the block, followed by the columns that
// the table's RowMerger takes.
constexpr const char* kSelectOfBlock = "block.id, bytes, state";
constexpr int kBlockId = 0, kBlockBytes = 1, kTaken = 3;

}  // namespace

class ContentMerger::Tables {
 public:
  Tables(SQLite::Database& database, std::function<void()> between_rows)
      : database_(database), between_rows_(std::move(between_rows)) {}

  Counts take(SQLite::Database& other) {
    take_blocks(other);
    take_sources(other);
    Counts counts;
    for (const Campaign& campaign : all_campaigns(other)) {
      const CampaignId ours = find_or_create_campaign(database_, campaign);
      take_measurements(other, campaign.id, ours, counts);
      take_coverage(other, campaign.id, ours);
    }
    return counts;
  }

 private:
  bool next(SQLite::Statement& row) const {
    between_rows_();
    return row.executeStep();
  }

  /// Our id of the block that the first columns of another store's row identify.
  std::int64_t block_id(SQLite::Statement& row) {
    const Bytes bytes = bytes_of(row.getColumn(kBlockBytes));
    const std::string state = row.getColumn(kBlockBytes + 1).getString();
    Query found(select_block_, bytes, state);
    if (!found.next()) throw Error("a block just taken into the store is not there");
    return found.integer(0);
  }

  void take_blocks(SQLite::Database& other) {
    SQLite::Statement row(other, fmt::format("SELECT {} FROM block", blocks_.columns()));
    while (next(row)) blocks_.take({}, row, 0);
  }

  void take_sources(SQLite::Database& other) {
    SQLite::Statement row(other,
                          fmt::format("SELECT {}, {} FROM source JOIN block ON block.id = block",
                                      kSelectOfBlock, sources_.columns()));
    while (next(row)) sources_.take({block_id(row)}, row, kTaken);
  }

  void take_measurements(SQLite::Database& other, CampaignId theirs, CampaignId ours,
                         Counts& counts) {
    ListRowsReader their_lists(other);
    SQLite::Statement their_recheck(
        other, fmt::format("SELECT {} FROM recheck WHERE campaign = ?1 AND block = ?2 "
                           "AND notion = ?3",
                           rechecks_.columns()));
    SQLite::Statement row(other, fmt::format("SELECT {}, {} FROM measurement "
                                             "JOIN block ON block.id = block WHERE campaign = ?1",
                                             kSelectOfBlock, measurements_.columns()));
    row.bind(1, static_cast<std::int64_t>(theirs));
    while (next(row)) {
      const auto notion = known<Notion>(row.getColumn(kTaken).getString());
      const MeasurementKey their_key{theirs, row.getColumn(kBlockId).getInt64(), notion};
      const MeasurementKey key{ours, block_id(row), notion};
      const bool is_kept = take_measurement(key, row, their_lists.read(their_key), counts);
      if (is_kept) take_recheck(key, their_recheck, their_key);
    }
  }

  /// Takes a measurement, with its lists, if it has a greater rank than ours. Returns whether our
  /// store then has the same measurement as theirs.
  bool take_measurement(const MeasurementKey& key, SQLite::Statement& row,
                        const MeasurementLists& lists, Counts& counts) {
    const RowMerger::Own own = {static_cast<std::int64_t>(key.campaign), key.block};
    const Presence presence = measurements_.find(own, row, kTaken);
    // The lists are not columns of the table: if all columns are equal, the lists decide.
    const auto our_lists = presence == Presence::kSame ? our_lists_.read(key) : MeasurementLists();
    const bool taken =
        presence == Presence::kSame ? our_lists < lists : measurements_.take(own, row, kTaken);
    if (taken) {
      Query(delete_recheck_, key.campaign, key.block, key.notion).run();
      list_writer_.replace(key, lists);
    }
    ++(presence == Presence::kMissing ? counts.added : taken ? counts.replaced : counts.known);
    return taken || (presence == Presence::kSame && our_lists == lists);
  }

  /// Takes their recheck, if there is one, of a measurement that both stores have.
  void take_recheck(const MeasurementKey& key, SQLite::Statement& theirs,
                    const MeasurementKey& their_key) {
    Query found(theirs, their_key.campaign, their_key.block, their_key.notion);
    if (!found.next()) return;
    rechecks_.take({static_cast<std::int64_t>(key.campaign), key.block}, theirs, 0);
  }

  void take_coverage(SQLite::Database& other, CampaignId theirs, CampaignId ours) {
    SQLite::Statement row(
        other, fmt::format("SELECT {} FROM coverage WHERE campaign = ?1", coverage_.columns()));
    row.bind(1, static_cast<std::int64_t>(theirs));
    while (next(row)) coverage_.take({static_cast<std::int64_t>(ours)}, row, 0);
  }

  using Presence = RowMerger::Presence;

  SQLite::Database& database_;
  std::function<void()> between_rows_;
  RowMerger blocks_{database_, block_table()};
  RowMerger sources_{database_, source_table()};
  RowMerger measurements_{database_, measurement_table("measurement")};
  RowMerger rechecks_{database_, measurement_table("recheck")};
  RowMerger coverage_{database_, coverage_table()};
  ListRowsReader our_lists_{database_};
  ListRowsWriter list_writer_{database_};
  SQLite::Statement select_block_{database_,
                                  "SELECT id FROM block WHERE bytes = ?1 AND state = ?2"};
  SQLite::Statement delete_recheck_{
      database_, "DELETE FROM recheck WHERE campaign = ?1 AND block = ?2 AND notion = ?3"};
};

ContentMerger::ContentMerger(SQLite::Database& database, std::function<void()> between_rows)
    : tables_(std::make_unique<Tables>(database, std::move(between_rows))) {}
ContentMerger::~ContentMerger() = default;

ContentMerger::Counts ContentMerger::take(SQLite::Database& other) { return tables_->take(other); }

}  // namespace assay

#include "results/exchange/content_merger.h"

#include <SQLiteCpp/Database.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "profiler/block/verdict.h"
#include "profiler/support/error.h"
#include "results/exchange/campaign_rows.h"
#include "results/exchange/row_merger.h"
#include "results/store/event_rows.h"
#include "results/store/query.h"

namespace assay {
namespace {

MergedTable block_table() {
  return {.name = "block",
          .keys = {"bytes", "state"},
          .values = {"text", "instructions"},
          .rank = {"{}.instructions", "{}.text"}};
}

MergedTable source_table() {
  return {.name = "source",
          .keys = {"block", "corpus", "line"},
          .values = {"frequency", "name", "origin"},
          .rank = {"ifnull({}.frequency, -1)", "{}.name", "{}.origin"}};
}

/// An SQL expression: whether the row says something of the block, and not only of the moment.
const std::string& finality() {
  static const std::string expression = [] {
    std::vector<std::string> passing;
    for (const ReasonInfo& info : all_reasons()) {
      if (!is_final(info.reason)) passing.push_back(fmt::format("'{}'", info.name));
    }
    return fmt::format("{{}}.reason NOT IN ({})", fmt::join(passing, ", "));
  }();
  return expression;
}

MergedTable measurement_table() {
  return {.name = "measurement",
          .keys = {"campaign", "block", "notion"},
          .values = {"verdict", "reason", "detail", "cycles", "spread", "runs", "dropped", "copies",
                     "pages", "measured_at", "initial_state", "traits"},
          .rank = {finality(), "{}.measured_at", "{}.verdict", "{}.reason", "{}.detail",
                   "ifnull({}.cycles, 0)", "ifnull({}.spread, 0)", "{}.runs", "{}.dropped",
                   "{}.copies", "{}.pages", "{}.initial_state", "{}.traits"}};
}

MergedTable repeat_table() {
  return {.name = "repeat",
          .keys = {"campaign", "block", "notion"},
          .values = {"verdict", "reason", "detail", "cycles", "spread", "runs", "dropped",
                     "measured_at"},
          .rank = {finality(), "{}.measured_at", "{}.verdict", "{}.reason", "{}.detail",
                   "ifnull({}.cycles, 0)", "ifnull({}.spread, 0)", "{}.runs", "{}.dropped"}};
}

/// A shard that was run twice, and to its end once, is complete.
MergedTable coverage_table() {
  return {.name = "coverage",
          .keys = {"campaign", "corpus", "notion", "shard", "shards", "block_limit"},
          .values = {"complete", "digest", "blocks"},
          .rank = {"{}.complete", "{}.blocks", "{}.digest"}};
}

// What is read of another store: what tells the block, then keys and values in the order of the
// tables above.
constexpr int kOfBlock = 2;
constexpr const char* kSelectMeasurements =
    "SELECT bytes, state, notion, verdict, reason, detail, cycles, spread, runs, dropped, copies, "
    "pages, "
    "measured_at, initial_state, traits, block FROM measurement JOIN block ON block.id = block "
    "WHERE campaign = ?1";
constexpr int kBlockOfMeasurements = 15;
/// And each with the first measurement, whose columns come before it.
constexpr const char* kSelectRepeats =
    "SELECT bytes, state, notion, first.verdict, first.reason, first.detail, first.cycles, "
    "first.spread, "
    "first.runs, first.dropped, first.copies, first.pages, first.measured_at, first.initial_state, "
    "first.traits, notion, second.verdict, second.reason, second.detail, second.cycles, "
    "second.spread, second.runs, second.dropped, second.measured_at, block FROM repeat AS second "
    "JOIN measurement AS first USING (campaign, block, notion) JOIN block ON block.id = block "
    "WHERE campaign = ?1";
constexpr int kSecondOfRepeats = 15;
constexpr int kBlockOfRepeats = 24;
constexpr const char* kSelectCoverage =
    "SELECT corpus, notion, shard, shards, block_limit, complete, digest, blocks FROM coverage "
    "WHERE campaign = ?1";

/// For a comparison in a fixed order.
auto as_tuple(const EventCount& event) {
  return std::tie(event.name, event.per_copy, event.half_width, event.overhead, event.validates,
                  event.pass, event.pass_cycles);
}

bool is_less(const std::vector<EventCount>& a, const std::vector<EventCount>& b) {
  return std::ranges::lexicographical_compare(
      a, b, [](const auto& x, const auto& y) { return as_tuple(x) < as_tuple(y); });
}

}  // namespace

class ContentMerger::Tables {
 public:
  Tables(SQLite::Database& database, std::function<void()> between_rows)
      : database_(database), between_rows_(std::move(between_rows)) {}

  Counts take(SQLite::Database& other) {
    take_blocks(other);
    take_sources(other);
    Counts counts;
    SQLite::Statement row(other, kSelectCampaigns);
    while (row.executeStep()) {
      const std::int64_t theirs = row.getColumn(0).getInt64();
      const std::int64_t ours = campaigns_.id_of(row, 1);
      take_measurements(other, theirs, ours, counts);
      take_repeats(other, theirs, ours);
      take_coverage(other, theirs, ours);
    }
    return counts;
  }

 private:
  bool next(SQLite::Statement& row) const {
    between_rows_();
    return row.executeStep();
  }

  /// Ours, of the block whose bytes and state are the row's first columns.
  std::int64_t block_id(SQLite::Statement& row) {
    bind_columns(select_block_, 1, row, 0, kOfBlock);
    Query found(select_block_);
    if (!found.next()) throw Error("a block just taken into the store is not there");
    return found.integer(0);
  }

  void take_blocks(SQLite::Database& other) {
    SQLite::Statement row(other, "SELECT bytes, state, text, instructions FROM block");
    while (next(row)) blocks_.take({}, row, 0);
  }

  void take_sources(SQLite::Database& other) {
    SQLite::Statement row(other,
                          "SELECT bytes, state, corpus, line, frequency, name, origin FROM source "
                          "JOIN block ON block.id = source.block");
    while (next(row)) sources_.take({block_id(row)}, row, kOfBlock);
  }

  void take_measurements(SQLite::Database& other, std::int64_t theirs, std::int64_t ours,
                         Counts& counts) {
    EventRowsReader their_events(other);
    SQLite::Statement row(other, kSelectMeasurements);
    row.bind(1, theirs);
    while (next(row)) {
      const std::string notion = row.getColumn(kOfBlock).getString();
      const MeasurementKey key{CampaignId{ours}, block_id(row), notion};
      const std::int64_t their_block = row.getColumn(kBlockOfMeasurements).getInt64();
      const auto events = their_events.read({CampaignId{theirs}, their_block, notion});
      const auto presence = measurements_.find({ours, key.block}, row, kOfBlock);
      const bool taken = presence == Presence::kSame
                             ? is_less(our_events_.read(key), events)
                             : measurements_.take({ours, key.block}, row, kOfBlock);
      if (taken) replace_rest(key, events);
      ++(presence == Presence::kMissing ? counts.added : taken ? counts.replaced : counts.known);
    }
  }

  /// What belongs to an outcome that was just taken.
  void replace_rest(const MeasurementKey& key, const std::vector<EventCount>& events) {
    const auto campaign = static_cast<std::int64_t>(key.campaign);
    Query(delete_repeat_, campaign, key.block, key.notion).run();
    Query(delete_events_, campaign, key.block, key.notion).run();
    event_writer_.write(key, events);
  }

  /// Those whose first measurement is the one that is kept.
  void take_repeats(SQLite::Database& other, std::int64_t theirs, std::int64_t ours) {
    EventRowsReader their_events(other);
    SQLite::Statement row(other, kSelectRepeats);
    row.bind(1, theirs);
    while (next(row)) {
      const std::string notion = row.getColumn(kOfBlock).getString();
      const MeasurementKey key{CampaignId{ours}, block_id(row), notion};
      if (measurements_.find({ours, key.block}, row, kOfBlock) != Presence::kSame) continue;
      const std::int64_t their_block = row.getColumn(kBlockOfRepeats).getInt64();
      const auto events = their_events.read({CampaignId{theirs}, their_block, notion});
      // Theirs are not greater: or they would be ours now.
      if (is_less(events, our_events_.read(key))) continue;
      repeats_.take({ours, key.block}, row, kSecondOfRepeats);
    }
  }

  void take_coverage(SQLite::Database& other, std::int64_t theirs, std::int64_t ours) {
    SQLite::Statement row(other, kSelectCoverage);
    row.bind(1, theirs);
    while (next(row)) coverage_.take({ours}, row, 0);
  }

  using Presence = RowMerger::Presence;

  SQLite::Database& database_;
  std::function<void()> between_rows_;
  CampaignRows campaigns_{database_};
  RowMerger blocks_{database_, block_table()};
  RowMerger sources_{database_, source_table()};
  RowMerger measurements_{database_, measurement_table()};
  RowMerger repeats_{database_, repeat_table()};
  RowMerger coverage_{database_, coverage_table()};
  EventRowsReader our_events_{database_};
  EventRowsWriter event_writer_{database_};
  SQLite::Statement select_block_{database_,
                                  "SELECT id FROM block WHERE bytes = ?1 AND state = ?2"};
  SQLite::Statement delete_repeat_{
      database_, "DELETE FROM repeat WHERE campaign = ?1 AND block = ?2 AND notion = ?3"};
  SQLite::Statement delete_events_{
      database_, "DELETE FROM event_count WHERE campaign = ?1 AND block = ?2 AND notion = ?3"};
};

ContentMerger::ContentMerger(SQLite::Database& database, std::function<void()> between_rows)
    : tables_(std::make_unique<Tables>(database, std::move(between_rows))) {}
ContentMerger::~ContentMerger() = default;

ContentMerger::Counts ContentMerger::take(SQLite::Database& other) { return tables_->take(other); }

}  // namespace assay

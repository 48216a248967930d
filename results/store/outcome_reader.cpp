#include "results/store/outcome_reader.h"

#include <SQLiteCpp/Database.h>
#include <fmt/format.h>

#include <utility>

#include "results/store/list_rows.h"
#include "results/store/row.h"
#include "results/store/store_error.h"

namespace assay {
namespace {

constexpr int kFirstOfMeasurement = 5;

/// The query for outcomes. SQLite never reorders a CROSS JOIN: it walks the index on the blocks'
/// bytes, and so sorts nothing, however large the campaign is. The field `instructions` of a
/// measurement comes from the block's row.
std::string selection() {
  return fmt::format(
      "SELECT block.id, bytes, state, text, measured_at, {} "
      "FROM block CROSS JOIN measurement ON measurement.block = block.id "
      "WHERE campaign = ?1 AND (?2 = '' OR notion = ?2) AND (NOT ?3 OR EXISTS "
      "(SELECT 1 FROM source WHERE source.block = block.id AND corpus = ?4)) "
      "ORDER BY bytes, state, notion",
      columns_of<Measurement>());
}

}  // namespace

/// The members are in the order in which they must be constructed.
class OutcomeReader::Rows {
 public:
  Rows(SQLite::Database& database, std::filesystem::path path, OutcomeQuery query)
      : path_(std::move(path)),
        query_(std::move(query)),
        notion_(query_.notion ? name(*query_.notion) : ""),
        corpus_(query_.corpus.value_or("")),
        select_(database, selection()),
        select_sources_(database,
                        "SELECT corpus, line, frequency, name, origin FROM source WHERE block = ?1 "
                        "AND (NOT ?2 OR corpus = ?3) ORDER BY corpus, line"),
        lists_(database),
        outcomes_(select_, query_.campaign, notion_, query_.corpus.has_value(), corpus_) {}

  bool next() { return outcomes_.next(); }

  StoredOutcome outcome() {
    const std::int64_t id = outcomes_.integer(0);
    StoredOutcome outcome;
    outcome.measurement = read_row<Measurement>(outcomes_, kFirstOfMeasurement);
    MeasurementLists lists = lists_.read({query_.campaign, id, outcome.measurement.notion});
    outcome.measurement.events = std::move(lists.events);
    outcome.measurement.modes = std::move(lists.modes);
    outcome.measurement.placements = std::move(lists.placements);
    outcome.block = {{outcomes_.blob(1), outcomes_.text(2)},
                     outcomes_.text(3),
                     outcome.measurement.instructions};
    outcome.measured_at = outcomes_.text(4);
    for (Query row(select_sources_, id, query_.corpus.has_value(), corpus_); row.next();) {
      outcome.sources.push_back(
          {.corpus = row.text(0),
           .line = row.integer(1),
           .frequency = row.is_null(2) ? std::nullopt : std::optional(row.real(2)),
           .name = row.text(3),
           .origin = row.text(4)});
    }
    return outcome;
  }

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  OutcomeQuery query_;
  std::string notion_, corpus_;
  SQLite::Statement select_;
  SQLite::Statement select_sources_;
  ListRowsReader lists_;
  Query outcomes_;
};

OutcomeReader::OutcomeReader(SQLite::Database& database, std::filesystem::path path,
                             OutcomeQuery query) {
  naming_store(path, [&] { rows_ = std::make_unique<Rows>(database, path, std::move(query)); });
}
OutcomeReader::OutcomeReader(OutcomeReader&& other) noexcept = default;
OutcomeReader& OutcomeReader::operator=(OutcomeReader&& other) noexcept = default;
OutcomeReader::~OutcomeReader() = default;

std::optional<StoredOutcome> OutcomeReader::next() {
  return naming_store(rows_->path(), [this]() -> std::optional<StoredOutcome> {
    if (!rows_->next()) return std::nullopt;
    return rows_->outcome();
  });
}

}  // namespace assay

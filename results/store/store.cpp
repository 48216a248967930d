#include "results/store/store.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Savepoint.h>
#include <fmt/format.h>

#include <utility>

#include "profiler/support/error.h"
#include "results/store/database.h"
#include "results/store/event_rows.h"
#include "results/store/known.h"
#include "results/store/measurement_row.h"
#include "results/store/query.h"
#include "results/store/repeat_rows.h"
#include "results/store/store_error.h"
#include "results/store/store_file.h"
#include "results/store/write_ahead_log.h"

namespace assay {
namespace {

/// What only a writer prepares: an older store's tables, which a reader leaves as they are, may
/// lack a column.
struct Writer {
  explicit Writer(SQLite::Database& database)
      : insert_block(database,
                     "INSERT INTO block (bytes, state, text, instructions) "
                     "VALUES (?1, ?2, ?3, ?4)"),
        insert_source(database,
                      "INSERT INTO source (block, corpus, line, frequency, name, origin) "
                      "VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO UPDATE "
                      "SET frequency = ?4, name = ?5, origin = ?6 "
                      "WHERE (frequency, name, origin) IS NOT (?4, ?5, ?6)"),
        insert_measurement(
            database,
            "INSERT INTO measurement (campaign, block, notion, verdict, reason, detail, cycles, "
            "spread, runs, dropped, copies, pages, initial_state, traits) "
            "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)"),
        delete_measurement(
            database, "DELETE FROM measurement WHERE campaign = ?1 AND block = ?2 AND notion = ?3"),
        events(database),
        repeats(database) {}

  SQLite::Statement insert_block;
  SQLite::Statement insert_source;
  SQLite::Statement insert_measurement;
  SQLite::Statement delete_measurement;
  EventRowsWriter events;
  RepeatRowsWriter repeats;
};

/// Writes a measurement without its events, in place of one that has to go before it.
void write_measurement(Writer& writer, const MeasurementKey& key, bool replaces,
                       const Measurement& measurement) {
  const auto campaign = static_cast<std::int64_t>(key.campaign);
  if (replaces) Query(writer.delete_measurement, campaign, key.block, key.notion).run();
  const bool measured = measurement.outcome.verdict() == Verdict::kMeasured && measurement.estimate;
  const Estimate estimate = measurement.estimate.value_or(Estimate{});
  Query(writer.insert_measurement, campaign, key.block, key.notion,
        name(measurement.outcome.verdict()), name(measurement.outcome.reason),
        measurement.outcome.detail, measured ? &estimate.cycles : nullptr,
        measured ? &estimate.half_width : nullptr, measurement.timed.runs,
        measurement.timed.dropped, measurement.copies, measurement.pages, measurement.initial_state,
        to_string(measurement.traits))
      .run();
}

}  // namespace

/// The members are in the order in which they must be made, and unmade the other way round: the
/// statements before the batch that commits, the connection before the file that it reads.
class Store::Connection {
 public:
  Connection(const std::filesystem::path& path, StoreAccess access, Now now)
      : file(path, access),
        database(open_database(file)),
        batch(database, std::move(now),
              {[this] { check_in_place(); },
               [this] { bound_write_ahead_log(database, file.path()); }}) {
    if (access == StoreAccess::kWrite) writer_.emplace(database);
  }

  static std::unique_ptr<Connection> to(const std::filesystem::path& path, StoreAccess access,
                                        Now now) {
    try {
      return std::make_unique<Connection>(path, access, std::move(now));
    } catch (const SQLite::Exception& exception) {
      throw_store_error(path, exception);
    }
  }

  /// Runs an action on the database and turns what SQLite throws into an Error.
  template <typename Action>
  auto guarded(const Action& action) {
    try {
      return action();
    } catch (const SQLite::Exception& exception) {
      if (!is_refused_by_schema(exception)) {
        batch.abandon();
        check_in_place();  // or else SQLite's word for it would be all there is: an I/O error
      }
      throw_store_error(file.path(), exception);
    }
  }

  Writer& writer() {
    if (writer_) return *writer_;
    throw EnvironmentError(file.path().string() + ": this store was opened to be read only");
  }

  /// The id of a block; nothing if it is not stored.
  std::optional<std::int64_t> known_block_id(const BlockSpec& block) {
    Query found(select_block, block.bytes, block.state);
    if (!found.next()) return std::nullopt;
    return found.integer(0);
  }

  /// The id of a block, which is stored if it is new.
  std::int64_t block_id(const BlockRecord& block) {
    if (const auto id = known_block_id(block)) return *id;
    Query(writer().insert_block, block.bytes, block.state, block.text, block.instructions).run();
    return database.getLastInsertRowid();
  }

  StoreFile file;
  SQLite::Database database;
  Batch batch;
  SQLite::Statement select_block{database, "SELECT id FROM block WHERE bytes = ?1 AND state = ?2"};
  SQLite::Statement select_outcome{
      database,
      "SELECT reason FROM measurement WHERE campaign = ?1 AND notion = ?2 "
      "AND block = (SELECT id FROM block WHERE bytes = ?3 AND state = ?4)"};
  SQLite::Statement select_repeat{
      database,
      "SELECT 1 FROM repeat WHERE campaign = ?1 AND notion = ?2 "
      "AND block = (SELECT id FROM block WHERE bytes = ?3 AND state = ?4)"};

 private:
  /// Nobody would find what is written to a file that has lost its name. What is in the log goes
  /// into that file: whoever has moved it has it all, and no log is left to be taken for that of a
  /// file which has got the name.
  void check_in_place() {
    try {
      file.check_in_place();
    } catch (const EnvironmentError&) {
      batch.abandon();
      database.tryExec("PRAGMA wal_checkpoint(TRUNCATE)");
      throw;
    }
  }

  std::optional<Writer> writer_;
};

Store::Store(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Store::Store(Store&& other) noexcept = default;
Store& Store::operator=(Store&& other) noexcept = default;
Store::~Store() = default;

Store Store::open(const std::filesystem::path& path, Now now) {
  return Store(Connection::to(path, StoreAccess::kWrite, std::move(now)));
}

Store Store::open_read_only(const std::filesystem::path& path) {
  return Store(Connection::to(path, StoreAccess::kRead, std::chrono::steady_clock::now));
}

CampaignId Store::campaign(const Machine& machine, const Environment& environment,
                           std::string_view program_version, const Settings& settings) {
  return connection_->guarded([&] {
    connection_->batch.begin();
    const CampaignId id = find_or_create_campaign(connection_->database, machine, environment,
                                                  program_version, settings);
    connection_->batch.commit();
    return id;
  });
}

std::optional<Reason> Store::outcome(CampaignId campaign, const BlockSpec& block, Notion notion) {
  return connection_->guarded([&]() -> std::optional<Reason> {
    Query found(connection_->select_outcome, static_cast<std::int64_t>(campaign), name(notion),
                block.bytes, block.state);
    if (!found.next()) return std::nullopt;
    const std::string reason = found.text(0);
    return known(reason_named(reason), reason);
  });
}

bool Store::has(CampaignId campaign, const BlockSpec& block, Notion notion) {
  const auto reason = outcome(campaign, block, notion);
  return reason && is_final(*reason);
}

void Store::add_source(const BlockRecord& block, const SourceRecord& source) {
  connection_->guarded([&] {
    Writer& writer = connection_->writer();
    connection_->batch.begin();
    const std::int64_t id = connection_->block_id(block);
    Query(writer.insert_source, id, source.corpus, source.line,
          source.frequency ? &*source.frequency : nullptr, source.name, source.origin)
        .run();
    connection_->batch.commit_if_due();
  });
}

void Store::put(CampaignId campaign, const BlockRecord& block, const Measurement& measurement) {
  connection_->guarded([&] {
    Writer& writer = connection_->writer();
    connection_->batch.begin();
    const std::int64_t id = connection_->block_id(block);
    const MeasurementKey key{campaign, id, std::string(name(measurement.notion))};
    // Or only an outcome that is not final.
    const bool replaces = !has(campaign, block, measurement.notion);
    if (measurement.events.empty()) {
      write_measurement(writer, key, replaces, measurement);
    } else {  // all of it or nothing
      SQLite::Savepoint savepoint(connection_->database, "put");
      write_measurement(writer, key, replaces, measurement);
      writer.events.write(key, measurement.events);
      savepoint.release();
    }
    connection_->batch.commit_if_due();
  });
}

void Store::begin_coverage(CampaignId campaign, const Coverage& coverage) {
  connection_->guarded([&] {
    connection_->batch.begin();
    write_begun(connection_->database, campaign, coverage);
    connection_->batch.commit();
  });
}

void Store::complete_coverage(CampaignId campaign, const Coverage& coverage) {
  connection_->guarded([&] {
    connection_->batch.begin();
    write_complete(connection_->database, campaign, coverage);
    connection_->batch.commit();
  });
}

std::vector<Coverage> Store::coverage(CampaignId campaign) {
  return connection_->guarded([&] { return read_coverage(connection_->database, campaign); });
}

void Store::put_repeat(CampaignId campaign, const BlockSpec& block, const Measurement& repeat) {
  connection_->guarded([&] {
    Writer& writer = connection_->writer();
    connection_->batch.begin();
    const auto id = connection_->known_block_id(block);
    if (!id) throw Error("a block without an outcome was measured a second time");
    writer.repeats.write({campaign, *id, std::string(name(repeat.notion))}, repeat);
    connection_->batch.commit_if_due();
  });
}

bool Store::has_repeat(CampaignId campaign, const BlockSpec& block, Notion notion) {
  return connection_->guarded([&] {
    return Query(connection_->select_repeat, static_cast<std::int64_t>(campaign), name(notion),
                 block.bytes, block.state)
        .next();
  });
}

void Store::commit() {
  connection_->guarded([&] { connection_->batch.commit(); });
}

std::vector<Campaign> Store::campaigns() {
  return connection_->guarded([&] { return all_campaigns(connection_->database); });
}

void Store::for_each_measurement(
    CampaignId campaign,
    const std::function<void(const BlockRecord&, const Measurement&)>& callback) {
  connection_->guarded([&] {
    SQLite::Statement select(
        connection_->database,
        fmt::format("SELECT measurement.block, bytes, text, instructions, state, notion, {} "
                    "FROM measurement JOIN block ON block.id = measurement.block "
                    "WHERE campaign = ?1 ORDER BY measurement.block, notion",
                    kMeasurementColumns));
    constexpr int kBlock = 0, kNotion = 5, kFirstOfMeasurement = 6;
    EventRowsReader events(connection_->database);
    for (Query row(select, static_cast<std::int64_t>(campaign)); row.next();) {
      const BlockRecord block{{row.blob(1), row.text(4)}, row.text(2), row.integer(3)};
      Measurement measurement = measurement_of(row, kFirstOfMeasurement);
      measurement.events = events.read({campaign, row.integer(kBlock), row.text(kNotion)});
      callback(block, measurement);
    }
  });
}

OutcomeReader Store::outcomes(const OutcomeQuery& query) {
  return OutcomeReader(connection_->database, connection_->file.path(), query);
}

BlockReader Store::blocks() { return BlockReader(connection_->database, connection_->file.path()); }

std::vector<std::string> Store::corpora() {
  return connection_->guarded([&] {
    SQLite::Statement select(connection_->database,
                             "SELECT DISTINCT corpus FROM source ORDER BY corpus");
    std::vector<std::string> names;
    for (Query row(select); row.next();) names.push_back(row.text(0));
    return names;
  });
}

void Store::query(const std::function<void(SQLite::Database&)>& queries) {
  connection_->guarded([&] { queries(connection_->database); });
}

}  // namespace assay

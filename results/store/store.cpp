#include "results/store/store.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Savepoint.h>

#include <utility>

#include "profiler/support/error.h"
#include "results/store/database.h"
#include "results/store/list_rows.h"
#include "results/store/measurement_rows.h"
#include "results/store/query.h"
#include "results/store/store_error.h"
#include "results/store/store_file.h"
#include "results/store/write_ahead_log.h"

namespace assay {

/// The members are in the order in which they must be constructed. They are destroyed in reverse:
/// the statements before the batch, which commits, and the connection before the file that it
/// reads.
class Store::Connection {
  /// The statements that only a store opened for writing needs.
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
          measurements(database, "measurement"),
          rechecks(database, "recheck"),
          lists(database) {}

    SQLite::Statement insert_block;
    SQLite::Statement insert_source;
    MeasurementRowsWriter measurements;
    MeasurementRowsWriter rechecks;
    ListRowsWriter lists;
  };

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
    return naming_store(path,
                        [&] { return std::make_unique<Connection>(path, access, std::move(now)); });
  }

  /// Runs an action on the database and turns what SQLite throws into an Error.
  template <typename Action>
  auto guarded(const Action& action) {
    return naming_store(file.path(), [&] {
      try {
        return action();
      } catch (const SQLite::Exception& exception) {
        if (!is_refused_by_schema(exception)) {
          batch.abandon();
          check_in_place();  // its message says more than the I/O error that SQLite reports
        }
        throw;
      }
    });
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

  /// Whether the campaign's outcome for the block is settled; nothing if there is none.
  std::optional<bool> settled(CampaignId campaign, const BlockSpec& block, Notion notion) {
    Query found(select_outcome, campaign, notion, block.bytes, block.state);
    if (!found.next()) return std::nullopt;
    return found.integer(1) != 0;
  }

  StoreFile file;
  SQLite::Database database;
  Batch batch;
  SQLite::Statement select_block{database, "SELECT id FROM block WHERE bytes = ?1 AND state = ?2"};
  SQLite::Statement select_outcome{
      database,
      "SELECT reason, settled FROM measurement WHERE campaign = ?1 AND notion = ?2 "
      "AND block = (SELECT id FROM block WHERE bytes = ?3 AND state = ?4)"};
  SQLite::Statement select_recheck{
      database,
      "SELECT 1 FROM recheck WHERE campaign = ?1 AND notion = ?2 "
      "AND block = (SELECT id FROM block WHERE bytes = ?3 AND state = ?4)"};

 private:
  /// Throws if the file has lost its name, since nobody would find what is written to it. Before
  /// that, the log is written back into the file: whoever has moved the file has everything, and no
  /// log is left that could be taken for that of another file which now has the name.
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
    const CampaignId id = find_or_create_campaign(connection_->database,
                                                  {.machine = machine,
                                                   .environment = environment,
                                                   .program_version = std::string(program_version),
                                                   .settings = to_json(settings),
                                                   .protocol = settings.protocol,
                                                   .clock = settings.clock,
                                                   .started_at = ""});
    connection_->batch.commit();
    return id;
  });
}

std::optional<Reason> Store::outcome(CampaignId campaign, const BlockSpec& block, Notion notion) {
  return connection_->guarded([&]() -> std::optional<Reason> {
    Query found(connection_->select_outcome, campaign, notion, block.bytes, block.state);
    if (!found.next()) return std::nullopt;
    return known<Reason>(found.text(0));
  });
}

bool Store::has(CampaignId campaign, const BlockSpec& block, Notion notion) {
  return connection_->guarded(
      [&] { return connection_->settled(campaign, block, notion) == true; });
}

void Store::add_source(const BlockRecord& block, const SourceRecord& source) {
  connection_->guarded([&] {
    auto& writer = connection_->writer();
    connection_->batch.begin();
    const std::int64_t id = connection_->block_id(block);
    Query(writer.insert_source, id, source.corpus, source.line, source.frequency, source.name,
          source.origin)
        .run();
    connection_->batch.commit_if_due();
  });
}

void Store::put(CampaignId campaign, const BlockRecord& block, const Measurement& measurement) {
  connection_->guarded([&] {
    auto& writer = connection_->writer();
    connection_->batch.begin();
    const MeasurementKey key{campaign, connection_->block_id(block), measurement.notion};
    const MeasurementLists lists = {measurement.events, measurement.modes, measurement.placements};
    // With lists, or in place of another outcome, this takes several changes: all of them
    // are made or none.
    const std::optional<bool> known = connection_->settled(campaign, block, measurement.notion);
    std::optional<SQLite::Savepoint> savepoint;
    if (known || !lists.empty()) savepoint.emplace(connection_->database, "put");
    // An outcome that is not settled is removed, with its lists and its recheck.
    if (known == false) writer.measurements.remove(key);
    writer.measurements.write(key, measurement);
    writer.lists.write(key, lists);
    if (savepoint) savepoint->release();
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

void Store::put_recheck(CampaignId campaign, const BlockSpec& block, const Measurement& recheck) {
  connection_->guarded([&] {
    auto& writer = connection_->writer();
    connection_->batch.begin();
    const auto id = connection_->known_block_id(block);
    if (!id) throw Error("a block without an outcome was rechecked");
    const MeasurementKey key{campaign, *id, recheck.notion};
    writer.rechecks.remove(key);
    writer.rechecks.write(key, recheck);
    connection_->batch.commit_if_due();
  });
}

bool Store::has_recheck(CampaignId campaign, const BlockSpec& block, Notion notion) {
  return connection_->guarded([&] {
    return Query(connection_->select_recheck, campaign, notion, block.bytes, block.state).next();
  });
}

void Store::commit() {
  connection_->guarded([&] { connection_->batch.commit(); });
}

std::vector<Campaign> Store::campaigns() {
  return connection_->guarded([&] { return all_campaigns(connection_->database); });
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

// What becomes of a store that an older assay wrote.
#include "results/store/migration.h"

#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>

#include <vector>

#include "profiler/support/error.h"
#include "results/findings/agreement.h"
#include "results/findings/summary.h"
#include "results/store/schema.h"
#include "results/store/store.h"
#include "tests/results/records.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

/// schema.sql as it was in version 1, without its comments.
constexpr const char* kSchema1 = R"sql(
PRAGMA application_id = 1634956153;
PRAGMA user_version = 1;
CREATE TABLE machine (
  id INTEGER PRIMARY KEY,
  vendor TEXT NOT NULL,
  brand TEXT NOT NULL,
  family INTEGER NOT NULL,
  model INTEGER NOT NULL,
  stepping INTEGER NOT NULL,
  microarchitecture TEXT NOT NULL,
  UNIQUE (vendor, brand, family, model, stepping, microarchitecture)
) STRICT;
CREATE TABLE environment (
  id INTEGER PRIMARY KEY,
  kernel TEXT NOT NULL,
  microcode TEXT NOT NULL,
  hypervisor TEXT NOT NULL,
  governor TEXT NOT NULL,
  smt TEXT NOT NULL,
  cores INTEGER NOT NULL,
  UNIQUE (kernel, microcode, hypervisor, governor, smt, cores)
) STRICT;
CREATE TABLE campaign (
  id INTEGER PRIMARY KEY,
  machine INTEGER NOT NULL REFERENCES machine (id),
  environment INTEGER NOT NULL REFERENCES environment (id),
  program_version TEXT NOT NULL,
  settings TEXT NOT NULL,
  protocol TEXT NOT NULL,
  clock TEXT NOT NULL,
  started_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
  UNIQUE (machine, environment, program_version, settings)
) STRICT;
CREATE TABLE block (
  id INTEGER PRIMARY KEY,
  bytes BLOB NOT NULL UNIQUE,
  text TEXT NOT NULL,
  size INTEGER NOT NULL AS (length(bytes)),
  instructions INTEGER NOT NULL CHECK (instructions >= 0)
) STRICT;
CREATE TABLE source (
  block INTEGER NOT NULL REFERENCES block (id),
  corpus TEXT NOT NULL,
  line INTEGER NOT NULL CHECK (line > 0),
  frequency REAL CHECK (frequency >= 0),
  PRIMARY KEY (block, corpus, line)
) STRICT, WITHOUT ROWID;
CREATE TABLE measurement (
  campaign INTEGER NOT NULL REFERENCES campaign (id),
  block INTEGER NOT NULL REFERENCES block (id),
  notion TEXT NOT NULL CHECK (notion <> ''),
  verdict TEXT NOT NULL CHECK (verdict IN ('measured', 'rejected', 'failed')),
  reason TEXT NOT NULL CHECK (reason <> ''),
  detail TEXT NOT NULL,
  cycles REAL,
  spread REAL,
  runs INTEGER NOT NULL CHECK (runs >= 0),
  dropped INTEGER NOT NULL CHECK (dropped >= 0),
  copies INTEGER NOT NULL CHECK (copies >= 0),
  pages INTEGER NOT NULL CHECK (pages >= 0),
  measured_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
  PRIMARY KEY (campaign, block, notion),
  CHECK (verdict = 'measured' OR (cycles IS NULL AND spread IS NULL)),
  CHECK ((verdict = 'measured') = (reason = 'none')),
  CHECK (verdict <> 'measured' OR (cycles IS NOT NULL AND spread IS NOT NULL AND cycles > 0
                                   AND cycles < 9e999 AND spread >= 0 AND spread < 9e999
                                   AND runs > 0))
) STRICT, WITHOUT ROWID;
)sql";

/// In the order of some_block(): measured, failed, and refused before there was a plan; the last
/// campaign names its state.
constexpr const char* kRows1 = R"sql(
INSERT INTO machine VALUES (1, 'AuthenticAMD', 'AMD EPYC', 25, 17, 1, 'zen4');
INSERT INTO environment VALUES (1, 'Linux 6.1.0', '0xa101148', 'KVMKVMKVM', 'none', 'on', 2);
INSERT INTO campaign VALUES (1, 1, 1, '0.1.0', '{}', 'assay', 'tsc', '2024-05-17T08:30:00Z');
INSERT INTO campaign VALUES (2, 1, 1, '0.1.0', '{"initial_state":"distinct"}', 'assay', 'tsc',
                             '2024-05-18T08:30:00Z');
INSERT INTO block VALUES (1, x'b801000000', 'mov eax, 1', 1);
INSERT INTO block VALUES (2, x'b802000000', 'mov eax, 2', 1);
INSERT INTO block VALUES (3, x'b803000000', 'mov eax, 3', 1);
INSERT INTO source VALUES (1, 'a', 7, 0.25);
INSERT INTO measurement VALUES (1, 1, 'unrolled', 'measured', 'none', '', 1.5, 0.01, 400, 3, 500, 2,
                                '2024-05-17T08:30:01Z');
INSERT INTO measurement VALUES (1, 2, 'unrolled', 'failed', 'trap', 'at offset 0', NULL, NULL, 0, 0,
                                500, 0, '2024-05-17T08:30:02Z');
INSERT INTO measurement VALUES (1, 3, 'unrolled', 'rejected', 'system_call', 'at offset 0', NULL,
                                NULL, 0, 0, 0, 0, '2024-05-17T08:30:03Z');
INSERT INTO measurement VALUES (2, 1, 'unrolled', 'measured', 'none', '', 1.75, 0.01, 400, 3, 500, 2,
                                '2024-05-18T08:30:01Z');
)sql";

/// What version 2 had that version 1 had not, as it was put into older stores, with the rows of
/// kRows1 as version 2 would have written them.
constexpr const char* kVersion2 = R"sql(
ALTER TABLE measurement ADD COLUMN initial_state TEXT NOT NULL DEFAULT '';
ALTER TABLE measurement ADD COLUMN traits TEXT NOT NULL DEFAULT '';
UPDATE measurement SET initial_state = 'apart' WHERE copies > 0;
UPDATE measurement SET traits = 'split_line,subnormal' WHERE campaign = 2;
PRAGMA user_version = 2;
)sql";

/// What version 3 had that version 2 had not, with a row.
constexpr const char* kVersion3 = R"sql(
CREATE TABLE event_count (
  campaign INTEGER NOT NULL,
  block INTEGER NOT NULL,
  notion TEXT NOT NULL,
  name TEXT NOT NULL CHECK (name <> ''),
  position INTEGER NOT NULL CHECK (position > 0),
  per_copy REAL NOT NULL CHECK (per_copy > -9e999 AND per_copy < 9e999),
  half_width REAL NOT NULL CHECK (half_width >= 0 AND half_width < 9e999),
  overhead REAL NOT NULL CHECK (overhead > -9e999 AND overhead < 9e999),
  validates INTEGER NOT NULL CHECK (validates IN (0, 1)),
  pass INTEGER NOT NULL CHECK (pass >= 1),
  pass_cycles REAL NOT NULL CHECK (pass_cycles > 0 AND pass_cycles < 9e999),
  PRIMARY KEY (campaign, block, notion, name),
  FOREIGN KEY (campaign, block, notion) REFERENCES measurement ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO event_count VALUES (1, 1, 'unrolled', 'UOPS', 1, 2.0, 0.0, 7.0, 0, 1, 1.5);
PRAGMA user_version = 3;
)sql";

/// What version 4 had that version 3 had not, with a row in each.
constexpr const char* kVersion4 = R"sql(
CREATE TABLE coverage (
  campaign INTEGER NOT NULL REFERENCES campaign (id),
  corpus TEXT NOT NULL CHECK (corpus <> ''),
  notion TEXT NOT NULL CHECK (notion <> ''),
  shard INTEGER NOT NULL CHECK (shard >= 1),
  shards INTEGER NOT NULL CHECK (shards >= shard),
  block_limit INTEGER NOT NULL CHECK (block_limit >= 0),
  complete INTEGER NOT NULL CHECK (complete IN (0, 1)),
  digest TEXT NOT NULL CHECK (digest NOT GLOB '*[^0-9a-f]*'),
  blocks INTEGER NOT NULL CHECK (blocks >= 0),
  PRIMARY KEY (campaign, corpus, notion, shard, shards, block_limit),
  CHECK (digest <> '' OR NOT complete OR block_limit > 0),
  CHECK (complete OR blocks = 0)
) STRICT, WITHOUT ROWID;
CREATE TABLE repeat (
  campaign INTEGER NOT NULL,
  block INTEGER NOT NULL,
  notion TEXT NOT NULL,
  verdict TEXT NOT NULL CHECK (verdict IN ('measured', 'rejected', 'failed')),
  reason TEXT NOT NULL CHECK (reason <> ''),
  detail TEXT NOT NULL,
  cycles REAL,
  spread REAL,
  runs INTEGER NOT NULL CHECK (runs >= 0),
  dropped INTEGER NOT NULL CHECK (dropped >= 0),
  measured_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
  PRIMARY KEY (campaign, block, notion),
  FOREIGN KEY (campaign, block, notion) REFERENCES measurement ON DELETE CASCADE,
  CHECK (verdict = 'measured' OR (cycles IS NULL AND spread IS NULL)),
  CHECK ((verdict = 'measured') = (reason = 'none')),
  CHECK (verdict <> 'measured' OR (cycles IS NOT NULL AND spread IS NOT NULL AND cycles > 0
                                   AND cycles < 9e999 AND spread >= 0 AND spread < 9e999
                                   AND runs > 0))
) STRICT, WITHOUT ROWID;
INSERT INTO coverage VALUES (1, 'a', 'unrolled', 1, 1, 0, 1, '0af', 3);
INSERT INTO repeat VALUES (1, 1, 'unrolled', 'measured', 'none', '', 1.5, 0.01, 400, 3,
                           '2024-05-17T08:31:00Z');
PRAGMA user_version = 4;
)sql";

constexpr CampaignId kFirst{1};
constexpr CampaignId kSecond{2};

/// Their traits too, where they have any.
std::vector<std::string> states_of(Store& store, CampaignId campaign) {
  std::vector<std::string> states;
  store.for_each_measurement(campaign, [&](const BlockRecord&, const Measurement& measurement) {
    const std::string traits = to_string(measurement.traits);
    states.push_back(measurement.initial_state + (traits.empty() ? "" : ":" + traits));
    EXPECT_TRUE(measurement.events.empty());
  });
  return states;
}

/// What a query says of a store, in one word for each row.
std::string told(const std::filesystem::path& path, const std::string& query) {
  SQLite::Database database(path);
  const std::string rows = "SELECT ifnull(group_concat(word, ' '), '') FROM (" + query + ")";
  return database.execAndGet(rows).getString();
}

class MigrationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    SQLite::Database database(path_, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    database.exec(kSchema1);
    database.exec(kRows1);
    database.exec("PRAGMA journal_mode = WAL");  // as every store has been since it was made
  }
  std::string version() const {
    return told(path_, "SELECT user_version AS word FROM pragma_user_version");
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "results.sqlite";
};

TEST_F(MigrationTest, AWriterBringsAnOlderStoreUpToDate) {
  Store store = Store::open(path_);
  EXPECT_THAT(states_of(store, kFirst), ElementsAre("bhive", "bhive", ""));
  EXPECT_THAT(states_of(store, kSecond), ElementsAre("distinct"));
  EXPECT_EQ(version(), std::to_string(kSchemaVersion));
  EXPECT_TRUE(store.has(kFirst, some_block(1), Notion::kUnrolled));
  Measurement looped = measured(2);
  looped.notion = Notion::kLooped;
  looped.traits = {Trait::kSplitLine};
  store.put(kFirst, some_block(1), looped);
  EXPECT_THAT(summarize(store, kFirst).by_initial_state,
              ElementsAre(Pair("bhive", 1), Pair("distinct", 1)));
}

TEST_F(MigrationTest, NothingThatWasThereChanges) {
  constexpr const char* kAll =
      "SELECT word FROM (SELECT campaign || ':' || block || notion || verdict || "
      "reason || detail || ifnull(cycles, '-') || ifnull(spread, '-') || runs || dropped || copies "
      "|| pages || measured_at AS word FROM measurement) UNION ALL "
      "SELECT block || corpus || line || frequency FROM source UNION ALL "
      "SELECT id || hex(bytes) || text || size || instructions FROM block UNION ALL "
      "SELECT id || settings || started_at FROM campaign";
  const std::string before = told(path_, kAll);
  { Store::open(path_); }
  EXPECT_EQ(told(path_, kAll), before);
  EXPECT_THAT(before, HasSubstr("1:1unrolledmeasurednone1.50.014003500"));
}

/// With its checks: ALTER TABLE leaves its columns where schema.sql has them, but not its layout.
TEST_F(MigrationTest, AnOlderStoreGetsTheTablesOfANewOne) {
  constexpr const char* kColumns =
      "SELECT m.name || c.cid || c.name || c.type || \"notnull\" || ifnull(dflt_value, '-') || pk "
      "AS word FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c ORDER BY m.name, cid";
  constexpr const char* kTables =
      "SELECT sql AS word FROM sqlite_schema "
      "WHERE name IN ('block', 'event_count', 'coverage', 'repeat') ORDER BY name";
  { Store::open(path_); }
  { Store::open(folder_ / "new.sqlite"); }
  EXPECT_EQ(told(path_, kColumns), told(folder_ / "new.sqlite", kColumns));
  EXPECT_EQ(told(path_, kTables), told(folder_ / "new.sqlite", kTables));
  EXPECT_THAT(told(path_, kTables),
              AllOf(HasSubstr("CHECK (pass_cycles > 0"), HasSubstr("CREATE TABLE coverage"),
                    HasSubstr("CREATE TABLE repeat"), HasSubstr("UNIQUE (bytes, state)")));
}

TEST_F(MigrationTest, RowsNameTheBlocksOfTheTableMadeAnew) {
  { Store::open(path_); }
  EXPECT_EQ(told(path_, "SELECT \"table\" AS word FROM pragma_foreign_key_check"), "");
  EXPECT_EQ(told(path_, "SELECT name AS word FROM sqlite_schema WHERE sql LIKE '%before%'"), "");
  EXPECT_EQ(told(path_, "SELECT DISTINCT \"table\" AS word FROM pragma_foreign_key_list('source')"),
            "block");
  EXPECT_EQ(told(path_, "SELECT text AS word FROM source JOIN block ON block.id = block"),
            "mov eax, 1");
}

TEST_F(MigrationTest, AReaderReadsAnOlderStoreAndLeavesItAsItIs) {
  const auto before = snapshot(folder_.path());
  {
    Store store = Store::open_read_only(path_);
    EXPECT_EQ(store.campaigns().size(), 2U);
    EXPECT_THAT(states_of(store, kFirst), ElementsAre("bhive", "bhive", ""));
    EXPECT_THAT(states_of(store, kSecond), ElementsAre("distinct"));
    EXPECT_TRUE(store.has(kFirst, some_block(1), Notion::kUnrolled));
    EXPECT_THAT(summarize(store, kFirst).by_initial_state, ElementsAre(Pair("bhive", 1)));
    EXPECT_THROW(store.put(kFirst, some_block(4), measured(1)), EnvironmentError);
  }
  EXPECT_EQ(snapshot(folder_.path()), before);
}

TEST_F(MigrationTest, AStoreIsOfOneVersionWhateverStopsIt) {
  {
    // A column in the way of the second step: the first is taken back with it.
    SQLite::Database database(path_, SQLite::OPEN_READWRITE);
    database.exec("ALTER TABLE measurement ADD COLUMN traits TEXT");
  }
  EXPECT_THROW(Store::open(path_), Error);
  EXPECT_EQ(version(), "1");
  EXPECT_EQ(told(path_,
                 "SELECT name AS word FROM pragma_table_info('measurement') "
                 "WHERE name = 'initial_state'"),
            "");
}

class MigrationFromVersion2Test : public MigrationTest {
 protected:
  void SetUp() override {
    MigrationTest::SetUp();
    SQLite::Database(path_, SQLite::OPEN_READWRITE).exec(kVersion2);
  }
};

TEST_F(MigrationFromVersion2Test, AWriterAddsEventCounts) {
  Store store = Store::open(path_);
  EXPECT_THAT(states_of(store, kFirst), ElementsAre("apart", "apart", ""));
  EXPECT_THAT(states_of(store, kSecond), ElementsAre("apart:split_line,subnormal"));
  EXPECT_EQ(version(), std::to_string(kSchemaVersion));
  Measurement counted = measured(2);
  counted.events = some_events();
  store.put(kSecond, some_block(4), counted);
  store.commit();
  EXPECT_EQ(told(path_, "SELECT name AS word FROM event_count ORDER BY position"), "UOPS MISSES");
}

TEST_F(MigrationFromVersion2Test, AReaderLeavesItAsItIs) {
  const auto before = snapshot(folder_.path());
  {
    Store store = Store::open_read_only(path_);
    EXPECT_THAT(states_of(store, kFirst), ElementsAre("apart", "apart", ""));
    EXPECT_THAT(states_of(store, kSecond), ElementsAre("apart:split_line,subnormal"));
    EXPECT_EQ(summarize(store, kFirst).total(), 3);
  }
  EXPECT_EQ(snapshot(folder_.path()), before);
}

class MigrationFromVersion3Test : public MigrationFromVersion2Test {
 protected:
  void SetUp() override {
    MigrationFromVersion2Test::SetUp();
    SQLite::Database(path_, SQLite::OPEN_READWRITE).exec(kVersion3);
  }
};

TEST_F(MigrationFromVersion3Test, AWriterAddsCoverageAndRepeats) {
  Store store = Store::open(path_);
  EXPECT_EQ(version(), std::to_string(kSchemaVersion));
  EXPECT_TRUE(store.coverage(kFirst).empty());
  store.begin_coverage(kFirst, {.corpus = "a", .limit = std::nullopt, .digest = ""});
  EXPECT_EQ(store.coverage(kFirst).size(), 1U);
  store.put_repeat(kFirst, some_block(1), measured(1.5));
  EXPECT_EQ(recheck_agreement(store, kFirst).within_intervals, 1);
  EXPECT_EQ(told(path_, "SELECT name AS word FROM event_count"), "UOPS");
}

TEST_F(MigrationFromVersion3Test, AReaderLeavesItAsItIs) {
  const auto before = snapshot(folder_.path());
  {
    Store store = Store::open_read_only(path_);
    EXPECT_TRUE(store.coverage(kFirst).empty());
    EXPECT_FALSE(store.has_repeat(kFirst, some_block(1), Notion::kUnrolled));
    EXPECT_EQ(recheck_agreement(store, kFirst).blocks, 0);
    EXPECT_EQ(summarize(store, kFirst).total(), 3);
  }
  EXPECT_EQ(snapshot(folder_.path()), before);
}

class MigrationFromVersion4Test : public MigrationFromVersion3Test {
 protected:
  void SetUp() override {
    MigrationFromVersion3Test::SetUp();
    SQLite::Database(path_, SQLite::OPEN_READWRITE).exec(kVersion4);
  }
};

TEST_F(MigrationFromVersion4Test, AWriterTellsBlocksByTheirStatesToo) {
  Store store = Store::open(path_);
  EXPECT_EQ(version(), std::to_string(kSchemaVersion));
  EXPECT_EQ(store.coverage(kFirst).size(), 1U);
  EXPECT_TRUE(store.has_repeat(kFirst, some_block(1), Notion::kUnrolled));
  const BlockRecord own = with_state(some_block(1), "zero");
  EXPECT_FALSE(store.has(kFirst, own, Notion::kUnrolled));
  store.put(kFirst, own, measured(2));
  SourceRecord source = some_source("a", 8, 0.5);
  source.name = "sort/3";
  source.origin = "libc";
  store.add_source(own, source);
  store.commit();
  EXPECT_EQ(store.outcome(kFirst, some_block(1), Notion::kUnrolled), Reason::kNone);
  EXPECT_EQ(told(path_,
                 "SELECT block || state || name || origin AS word FROM source "
                 "JOIN block ON block.id = block ORDER BY block.id"),
            "1 4zerosort/3libc");
}

TEST_F(MigrationFromVersion4Test, AReaderLeavesItAsItIs) {
  const auto before = snapshot(folder_.path());
  {
    Store store = Store::open_read_only(path_);
    EXPECT_EQ(store.coverage(kFirst).size(), 1U);
    EXPECT_TRUE(store.has(kFirst, some_block(1), Notion::kUnrolled));
    EXPECT_FALSE(store.has(kFirst, with_state(some_block(1), "zero"), Notion::kUnrolled));
    OutcomeReader outcomes = store.outcomes({kFirst, std::nullopt, std::nullopt});
    const StoredOutcome first = outcomes.next().value();
    EXPECT_EQ(first.block.state, "");
    EXPECT_EQ(first.block.bytes, some_block(1).bytes);
    ASSERT_EQ(first.sources.size(), 1U);
    EXPECT_EQ(first.sources[0].frequency, 0.25);
    EXPECT_EQ(first.sources[0].name + first.sources[0].origin, "");
  }
  EXPECT_EQ(snapshot(folder_.path()), before);
}

TEST_F(MigrationFromVersion4Test, WhatStopsItLeavesItAsItIs) {
  SQLite::Database(path_, SQLite::OPEN_READWRITE).exec("ALTER TABLE source ADD COLUMN origin TEXT");
  EXPECT_THROW(Store::open(path_), Error);
  EXPECT_EQ(version(), "4");
  EXPECT_EQ(told(path_, "SELECT name AS word FROM pragma_table_info('block') WHERE name = 'state'"),
            "");
}

}  // namespace
}  // namespace assay

#include "results/store/schema.h"

#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "profiler/support/fields.h"
#include "tests/results/records.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

/// A store without outcomes, with one campaign and one block, which the tests use by SQL.
class SchemaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    database_.exec("PRAGMA foreign_keys = ON");
    database_.exec(kSchema);
    database_.exec("INSERT INTO machine VALUES (1, 'v', 'b', 25, 17, 1, 'zen4')");
    database_.exec("INSERT INTO environment VALUES (1, 'k', 'm', 'h', 'g', 's', 2, 'w')");
    database_.exec(
        "INSERT INTO campaign (id, machine, environment, program_version, settings, protocol, "
        "clock) VALUES (1, 1, 1, '0.1.0', '{}', 'assay', 'tsc')");
    database_.exec("INSERT INTO block (id, bytes, text, instructions) VALUES (1, x'90', 'nop', 1)");
  }

  /// Whether the schema accepts a measurement with these values, which is removed again.
  bool takes(const std::string& verdict, const std::string& reason, const std::string& cycles,
             const std::string& half_width, const std::string& runs = "400", int block = 1,
             const std::string& settled = "1") {
    const int code = database_.tryExec(
        "INSERT INTO measurement (campaign, block, notion, verdict, reason, detail, cycles, "
        "half_width, runs, dropped, visits, settled, copies, pages, initial_state, loop_end, "
        "traits) VALUES (1, " +
        std::to_string(block) + ", 'unrolled', '" + verdict + "', '" + reason + "', '', " + cycles +
        ", " + half_width + ", " + runs + ", 0, 1, " + settled + ", 500, 2, '', '', '')");
    database_.exec("DELETE FROM measurement");
    return code == SQLite::OK;
  }

  std::set<std::string> columns_of(const std::string& table) {
    SQLite::Statement select(database_, "SELECT name FROM pragma_table_info(?1)");
    select.bind(1, table);
    std::set<std::string> columns;
    while (select.executeStep()) columns.insert(select.getColumn(0).getString());
    return columns;
  }

  using Values = std::map<std::string, std::string>;

  /// Whether a table accepts a row with these values, some of which are replaced by `changed`.
  bool takes_row(const std::string& table, Values values, const Values& changed) {
    for (const auto& [column, value] : changed) values[column] = value;
    std::string columns, row;
    for (const auto& [column, value] : values) {
      columns += (columns.empty() ? "" : ", ") + column;
      row += (row.empty() ? "" : ", ") + value;
    }
    const int code =
        database_.tryExec("INSERT INTO " + table + " (" + columns + ") VALUES (" + row + ")");
    return code == SQLite::OK;
  }

  /// Whether a table whose rows belong to a measurement accepts a row for this block, which has a
  /// measurement or not.
  bool takes_part(const std::string& table, Values values, const Values& changed, int block) {
    database_.exec(
        "INSERT INTO measurement (campaign, block, notion, verdict, reason, detail, runs, dropped, "
        "visits, settled, copies, pages, initial_state, loop_end, traits) "
        "VALUES (1, 1, 'unrolled', 'failed', 'trap', '', 0, 0, 1, 1, 500, 2, '', '', '')");
    values.insert({{"campaign", "1"}, {"block", std::to_string(block)}, {"notion", "'unrolled'"}});
    const bool taken = takes_row(table, values, changed);
    database_.exec("DELETE FROM measurement");
    return taken;
  }
  bool takes_event(const Values& changed, int block = 1) {
    return takes_part("event_count",
                      {{"name", "'UOPS'"},
                       {"position", "1"},
                       {"per_copy", "2.0"},
                       {"half_width", "0.0"},
                       {"overhead", "0"},
                       {"validates", "1"},
                       {"pass", "1"},
                       {"pass_cycles", "1.5"}},
                      changed, block);
  }
  bool takes_mode(const Values& changed, int block = 1) {
    return takes_part("mode",
                      {{"position", "1"},
                       {"cycles", "1.5"},
                       {"half_width", "0.0"},
                       {"visits", "2"},
                       {"share", "1"}},
                      changed, block);
  }
  bool takes_placement(const Values& changed, int block = 1) {
    return takes_part(
        "placement", {{"position", "1"}, {"offset", "8"}, {"cycles", "1.5"}, {"half_width", "0.0"}},
        changed, block);
  }
  bool takes_recheck(const Values& changed, int block = 1) {
    return takes_part("recheck",
                      {{"verdict", "'measured'"},
                       {"reason", "'none'"},
                       {"detail", "''"},
                       {"cycles", "1.5"},
                       {"half_width", "0.1"},
                       {"runs", "400"},
                       {"dropped", "0"},
                       {"visits", "1"},
                       {"settled", "1"},
                       {"copies", "500"},
                       {"pages", "2"},
                       {"initial_state", "'distinct'"},
                       {"loop_end", "''"},
                       {"traits", "''"}},
                      changed, block);
  }
  bool takes_coverage(const Values& changed) {
    const bool taken = takes_row("coverage",
                                 {{"campaign", "1"},
                                  {"corpus", "'a'"},
                                  {"notion", "'looped'"},
                                  {"shard", "2"},
                                  {"shards", "8"},
                                  {"block_limit", "0"},
                                  {"complete", "1"},
                                  {"digest", "'0af'"},
                                  {"blocks", "12"}},
                                 changed);
    database_.exec("DELETE FROM coverage");
    return taken;
  }

  SQLite::Database database_{":memory:", SQLite::OPEN_READWRITE};
};

TEST_F(SchemaTest, MarksTheFileAsAStore) {
  EXPECT_EQ(kSchemaVersion, 11U);
  EXPECT_EQ(database_.execAndGet("PRAGMA user_version").getUInt(), kSchemaVersion);
  EXPECT_EQ(database_.execAndGet("PRAGMA application_id").getUInt(), kApplicationId);
  EXPECT_EQ(kApplicationId, std::uint32_t{'a' << 24 | 's' << 16 | 's' << 8 | 'y'});
}

/// The names of a struct's fields together with further columns.
template <Described T>
std::set<std::string> fields_and(std::set<std::string> columns) {
  for (const std::string_view name : field_names<T>()) columns.insert(std::string(name));
  return columns;
}

TEST_F(SchemaTest, HasAColumnForEachField) {
  std::set<std::string> measurement = fields_and<Measurement>({"campaign", "block", "measured_at"});
  measurement.erase("instructions");  // is a column of the table block
  EXPECT_EQ(columns_of("measurement"), measurement);
  EXPECT_EQ(columns_of("recheck"), measurement);
  EXPECT_TRUE(columns_of("block").contains("instructions"));
  EXPECT_EQ(columns_of("event_count"),
            fields_and<EventCount>({"campaign", "block", "notion", "position"}));
  EXPECT_EQ(columns_of("mode"), fields_and<Mode>({"campaign", "block", "notion", "position"}));
  EXPECT_EQ(columns_of("placement"),
            fields_and<CodePlacement>({"campaign", "block", "notion", "position"}));
  EXPECT_EQ(columns_of("machine"), fields_and<Machine>({"id"}));
  EXPECT_EQ(columns_of("environment"), fields_and<Environment>({"id"}));
}

TEST_F(SchemaTest, TakesOnlyPossibleMeasuredValues) {
  EXPECT_TRUE(takes("measured", "none", "1.5", "0.0"));
  EXPECT_FALSE(takes("measured", "none", "NULL", "NULL"));
  EXPECT_FALSE(takes("measured", "none", "1.5", "NULL"));
  EXPECT_FALSE(takes("measured", "none", "NULL", "0.1"));
  EXPECT_FALSE(takes("measured", "none", "0.0", "0.1"));
  EXPECT_FALSE(takes("measured", "none", "-1.5", "0.1"));
  EXPECT_FALSE(takes("measured", "none", "9e999", "0.1"));
  EXPECT_FALSE(takes("measured", "none", "1.5", "-0.1"));
  EXPECT_FALSE(takes("measured", "none", "1.5", "9e999"));
  EXPECT_FALSE(takes("measured", "none", "1.5", "0.1", "0"));
  EXPECT_FALSE(takes("measured", "none", "'fast'", "0.1"));
}

TEST_F(SchemaTest, PairsVerdictsWithReasons) {
  EXPECT_TRUE(takes("rejected", "unstable", "NULL", "NULL"));
  EXPECT_FALSE(takes("rejected", "unstable", "1.5", "0.9"));
  EXPECT_TRUE(takes("failed", "trap", "NULL", "NULL", "0"));
  EXPECT_FALSE(takes("measured", "unstable", "1.5", "0.9"));
  EXPECT_FALSE(takes("rejected", "none", "NULL", "NULL"));
  EXPECT_FALSE(takes("failed", "none", "NULL", "NULL"));
  EXPECT_FALSE(takes("failed", "", "NULL", "NULL"));
  EXPECT_FALSE(takes("lost", "trap", "NULL", "NULL"));
  EXPECT_FALSE(takes("failed", "trap", "1.5", "NULL"));
}

TEST_F(SchemaTest, TakesNoMeasurementOfAnUnknownBlock) {
  EXPECT_FALSE(takes("failed", "trap", "NULL", "NULL", "0", 2));
}

TEST_F(SchemaTest, TakesOnlyPossibleEventCounts) {
  EXPECT_TRUE(takes_event({}));
  EXPECT_TRUE(takes_event({{"per_copy", "-0.1"}, {"overhead", "-1.0"}, {"validates", "0"}}));
  for (const char* column : {"per_copy", "half_width", "overhead", "pass_cycles"}) {
    EXPECT_FALSE(takes_event({{column, "9e999"}})) << column;
    EXPECT_FALSE(takes_event({{column, "-9e999"}})) << column;
    EXPECT_FALSE(takes_event({{column, "NULL"}})) << column;
    EXPECT_FALSE(takes_event({{column, "'many'"}})) << column;
  }
  EXPECT_FALSE(takes_event({{"name", "''"}}));
  EXPECT_FALSE(takes_event({{"position", "0"}}));
  EXPECT_FALSE(takes_event({{"half_width", "-0.1"}}));
  EXPECT_FALSE(takes_event({{"validates", "2"}}));
  EXPECT_FALSE(takes_event({{"pass", "0"}}));
  EXPECT_FALSE(takes_event({{"pass_cycles", "0.0"}}));
}

TEST_F(SchemaTest, KeepsEventCountsNoLongerThanTheirMeasurement) {
  EXPECT_FALSE(takes_event({}, 2));
  EXPECT_TRUE(takes_event({}));
  EXPECT_EQ(database_.execAndGet("SELECT count(*) FROM event_count").getInt(), 0);
}

TEST_F(SchemaTest, TakesOnlyPossiblePlacements) {
  EXPECT_TRUE(takes_placement({}));
  EXPECT_TRUE(takes_placement({{"offset", "63"}}));
  EXPECT_FALSE(takes_placement({}, 2)) << "there is no such measurement";
  EXPECT_FALSE(takes_placement({{"offset", "64"}}));
  EXPECT_FALSE(takes_placement({{"offset", "-1"}}));
  EXPECT_FALSE(takes_placement({{"position", "0"}}));
  EXPECT_FALSE(takes_placement({{"cycles", "0.0"}}));
  EXPECT_FALSE(takes_placement({{"cycles", "9e999"}}));
  EXPECT_FALSE(takes_placement({{"half_width", "-0.1"}}));
  EXPECT_FALSE(takes_placement({{"half_width", "NULL"}}));
}

TEST_F(SchemaTest, TakesOnlyPossibleModes) {
  EXPECT_TRUE(takes_mode({}));
  for (const char* column : {"cycles", "half_width", "share"}) {
    EXPECT_FALSE(takes_mode({{column, "9e999"}})) << column;
    EXPECT_FALSE(takes_mode({{column, "-0.1"}})) << column;
    EXPECT_FALSE(takes_mode({{column, "NULL"}})) << column;
    EXPECT_FALSE(takes_mode({{column, "'some'"}})) << column;
  }
  EXPECT_FALSE(takes_mode({{"position", "0"}}));
  EXPECT_FALSE(takes_mode({{"cycles", "0.0"}}));
  EXPECT_FALSE(takes_mode({{"visits", "1"}}));
  EXPECT_FALSE(takes_mode({{"share", "0.0"}}));
  EXPECT_FALSE(takes_mode({{"share", "1.01"}}));
}

TEST_F(SchemaTest, KeepsModesNoLongerThanTheirMeasurement) {
  EXPECT_FALSE(takes_mode({}, 2));
  EXPECT_TRUE(takes_mode({}));
  EXPECT_EQ(database_.execAndGet("SELECT count(*) FROM mode").getInt(), 0);
}

TEST_F(SchemaTest, TakesOnlyPossibleCoverage) {
  EXPECT_TRUE(takes_coverage({}));
  EXPECT_TRUE(takes_coverage({{"shard", "1"}, {"shards", "1"}, {"block_limit", "7"}}));
  EXPECT_TRUE(takes_coverage({{"complete", "0"}, {"digest", "''"}, {"blocks", "0"}}));
  EXPECT_TRUE(takes_coverage({{"complete", "0"}, {"blocks", "0"}}));
  EXPECT_TRUE(takes_coverage({{"digest", "''"}, {"block_limit", "7"}}));
  EXPECT_TRUE(takes_coverage({{"blocks", "0"}}));
  EXPECT_FALSE(takes_coverage({{"campaign", "2"}}));
  EXPECT_FALSE(takes_coverage({{"corpus", "''"}}));
  EXPECT_FALSE(takes_coverage({{"notion", "''"}}));
  EXPECT_FALSE(takes_coverage({{"shard", "0"}}));
  EXPECT_FALSE(takes_coverage({{"shard", "9"}}));
  EXPECT_FALSE(takes_coverage({{"block_limit", "-1"}}));
  EXPECT_FALSE(takes_coverage({{"complete", "2"}}));
  EXPECT_FALSE(takes_coverage({{"digest", "''"}}));
  EXPECT_FALSE(takes_coverage({{"digest", "'0AF'"}}));
  EXPECT_FALSE(takes_coverage({{"complete", "0"}, {"digest", "''"}}));
  EXPECT_FALSE(takes_coverage({{"blocks", "-1"}}));
}

TEST_F(SchemaTest, TakesOnlyPossibleRechecksOfABlockWithAnOutcome) {
  EXPECT_TRUE(takes_recheck({}));
  EXPECT_FALSE(takes_recheck({}, 2));
  EXPECT_FALSE(takes_recheck({{"notion", "'looped'"}}));
  EXPECT_FALSE(takes_recheck({{"cycles", "0.0"}}));
  EXPECT_FALSE(takes_recheck({{"cycles", "9e999"}}));
  EXPECT_FALSE(takes_recheck({{"cycles", "NULL"}, {"half_width", "NULL"}}));
  EXPECT_FALSE(takes_recheck({{"half_width", "-0.1"}}));
  EXPECT_FALSE(takes_recheck({{"runs", "0"}}));
  EXPECT_FALSE(takes_recheck({{"verdict", "'failed'"}, {"reason", "'trap'"}}));
  EXPECT_FALSE(takes_recheck({{"reason", "'trap'"}}));
}

TEST_F(SchemaTest, KeepsTheSizeOfABlock) {
  EXPECT_EQ(database_.execAndGet("SELECT size FROM block").getInt(), 1);
}

TEST_F(SchemaTest, TakesALineOfACorpusOnceForABlock) {
  TemporaryFolder folder;
  {
    Store store = Store::open(folder / "results.sqlite");
    const SourceRecord source = some_source("a", 3, 0.25);
    store.add_source(some_block(1), source);
    store.add_source({{some_block(1).bytes}, "", 0}, source);
    store.add_source(some_block(1), some_source("a", 4, 0.5));
    store.add_source(some_block(2), some_source("b", 3));
  }
  SQLite::Database database(folder / "results.sqlite");
  EXPECT_EQ(database
                .execAndGet("SELECT group_concat(text || corpus || line || ':' || "
                            "ifnull(frequency, '-'), ' ') FROM source JOIN block ON id = block")
                .getString(),
            "mov eax, 1a3:0.25 mov eax, 1a4:0.5 mov eax, 2b3:-");
}

}  // namespace
}  // namespace assay

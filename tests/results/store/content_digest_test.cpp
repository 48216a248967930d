#include "results/store/content_digest.h"

#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "profiler/support/error.h"
#include "results/exchange/check.h"
#include "results/store/schema.h"
#include "tests/results/random_store.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

using testing::HasSubstr;

class ContentDigest : public testing::Test {
 protected:
  ContentDigest() {
    database_.exec("PRAGMA foreign_keys = ON");
    database_.exec(kSchema);
    keep_digests(database_);
    database_.exec("INSERT INTO machine VALUES (1, 'v', 'b', 25, 17, 1, 'zen4')");
    database_.exec("INSERT INTO environment VALUES (1, 'k', 'm', 'h', 'g', 's', 2, 'w')");
    database_.exec(
        "INSERT INTO campaign (id, machine, environment, program_version, settings, protocol, "
        "clock) VALUES (1, 1, 1, '0.1.0', '{}', 'assay', 'tsc')");
    for (int id = 1; id <= 3; ++id) {
      const std::string number = std::to_string(id);
      database_.exec("INSERT INTO block (id, bytes, text, instructions) VALUES (" + number +
                     ", x'9" + number + "', 'nop', 1)");
      database_.exec(
          "INSERT INTO measurement (campaign, block, notion, verdict, reason, detail, cycles, "
          "half_width, runs, dropped, visits, settled, copies, pages, initial_state, loop_end, "
          "traits) VALUES (1, " +
          number + ", 'unrolled', 'measured', 'none', '', 1, 0.5, 8, 0, 2, 1, 9, 0, '', '', '')");
      database_.exec("INSERT INTO mode VALUES (1, " + number + ", 'unrolled', 1, 1, 0.5, 2, 1)");
    }
  }

  /// What is found after a change that keeps no digest.
  std::string found_after(const std::string& change) {
    for (const char* table : {"measurement", "mode", "block", "source"}) {
      for (const char* event : {"INSERT", "UPDATE", "DELETE"}) {
        database_.exec(std::string("DROP TRIGGER IF EXISTS digest_") + event + "_" + table);
      }
    }
    database_.exec(change);
    return find_damage(database_, "no-log").value_or("");
  }

  SQLite::Database database_{":memory:", SQLite::OPEN_READWRITE};
};

TEST_F(ContentDigest, FollowsWhatIsWritten) {
  EXPECT_EQ(find_damage(database_, "no-log"), std::nullopt);
  database_.exec("UPDATE measurement SET cycles = 2.5 WHERE block = 2");
  EXPECT_EQ(find_damage(database_, "no-log"), std::nullopt);
  database_.exec("DELETE FROM measurement WHERE block = 2");  // and its mode
  EXPECT_EQ(find_damage(database_, "no-log"), std::nullopt);
  EXPECT_EQ(database_.execAndGet("SELECT rows FROM digest WHERE name = 'mode'").getInt(), 2);
  database_.exec("BEGIN; DELETE FROM measurement; ROLLBACK");
  EXPECT_EQ(find_damage(database_, "no-log"), std::nullopt);
  database_.exec(
      "INSERT INTO source VALUES (1, 'c', 1, NULL, '', '') ON CONFLICT DO NOTHING;"
      "INSERT INTO source VALUES (1, 'c', 1, 0.5, 'n', '') ON CONFLICT DO UPDATE "
      "SET frequency = excluded.frequency");
  EXPECT_EQ(find_damage(database_, "no-log"), std::nullopt);
}

TEST_F(ContentDigest, FindsAValueThatChanged) {
  EXPECT_THAT(found_after("UPDATE measurement SET cycles = 1.0000000000000002 WHERE block = 3"),
              HasSubstr("measurement does not hold"));
  renew_digests(database_);
  EXPECT_EQ(find_damage(database_, "no-log"), std::nullopt);
  EXPECT_THAT(found_after("UPDATE block SET state = 'x' WHERE id = 3"), HasSubstr("block does"));
}

TEST_F(ContentDigest, FindsThatRowsAreGoneOrMore) {
  EXPECT_THAT(found_after("DELETE FROM mode WHERE block = 1"),
              HasSubstr("mode has 2 rows, and assay wrote 3"));
  renew_digests(database_);
  EXPECT_THAT(found_after("INSERT INTO source VALUES (1, 'c', 1, NULL, '', '')"),
              HasSubstr("source has 1 row, and assay wrote 0"));
}

TEST_F(ContentDigest, FindsValuesThatChangedPlaces) {
  database_.exec("UPDATE block SET text = 'text of ' || id");
  EXPECT_THAT(found_after("UPDATE block SET text = 'text of ' || (3 - id) WHERE id < 3"),
              HasSubstr("block does not hold"));
}

TEST_F(ContentDigest, FindsOtherTables) {
  EXPECT_THAT(found_after("CREATE TABLE more (x INTEGER)"), HasSubstr("its tables"));
  EXPECT_THAT(found_after("DROP TABLE more; DELETE FROM digest WHERE name = 'block'"),
              HasSubstr("the table block has no digest"));
}

/// A store on disk with something wrong, which must be found, or mean nothing.
TEST(DamagedStores, ShowTheDamageOrHoldWhatTheyHeld) {
  const TemporaryFolder folder;
  const std::string whole = folder / "whole.sqlite";
  const std::string damaged = folder / "damaged.sqlite";
  RandomStore(whole, 7);
  ASSERT_EQ(check_store(whole).damage, std::nullopt);
  const auto content = [](const std::string& path) {
    SQLite::Database database(path);
    SQLite::Statement rows(database,
                           "SELECT hex(bytes), notion, verdict, cycles, half_width, measured_at, "
                           "traits FROM measurement JOIN block ON id = block ORDER BY 1, 2, 6");
    std::string text;
    while (rows.executeStep()) {
      for (int i = 0; i < rows.getColumnCount(); ++i) text += rows.getColumn(i).getString() + "|";
    }
    return text;
  };
  const std::string bytes = content_of(whole);
  const std::string before = content(whole);
  constexpr int kTries = 300;
  constexpr std::size_t kPage = 4096;
  std::mt19937 random(1);
  int found = 0;
  for (int i = 0; i < kTries; ++i) {
    std::string changed = bytes;
    const auto below = [&](std::size_t end) { return random() % end; };
    if (i % 3 == 0) {
      changed[below(changed.size())] ^= static_cast<char>(1 << below(8));
    } else if (i % 3 == 1) {
      changed.resize(below(changed.size()));
    } else {
      const std::size_t page = below(changed.size() / kPage) * kPage;
      changed.replace(page, kPage, changed, below(changed.size() / kPage) * kPage, kPage);
    }
    write_file(damaged, changed);
    bool damage = false;
    try {
      damage = check_store(damaged).damage.has_value();
    } catch (const InputError&) {
      damage = true;
    }
    found += damage ? 1 : 0;
    if (!damage) {
      EXPECT_EQ(content(damaged), before) << "try " << i;
    }
  }
  EXPECT_GT(found, kTries / 2);
  RecordProperty("found", found);
}

TEST(DamagedStores, AreNotAcceptedUnlessTheirPagesHoldTogether) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.sqlite";
  RandomStore(path, 7);
  SQLite::Database(path, SQLite::OPEN_READWRITE).exec("UPDATE measurement SET pages = 17");
  EXPECT_TRUE(check_store(path).damage);
  EXPECT_FALSE(accept_store(path).damage);
  EXPECT_EQ(check_store(path).damage, std::nullopt);
  std::string bytes = content_of(path);
  constexpr std::size_t kPage = 4096;
  bytes.replace(bytes.size() - kPage, kPage, kPage, '\x55');
  write_file(path, bytes);
  EXPECT_THROW(accept_store(path), InputError);
}

}  // namespace
}  // namespace assay

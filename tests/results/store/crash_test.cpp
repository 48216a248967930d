// What is left of a store that is copied, truncated, moved, deleted or replaced while it is
// written.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <SQLiteCpp/Database.h>

#include <optional>

#include "profiler/support/error.h"
#include "results/findings/summary.h"
#include "results/store/store.h"
#include "tests/error_of.h"
#include "tests/results/records.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A store in which blocks are committed ten at a time.
class CrashTest : public ::testing::Test {
 protected:
  void commit_ten() {
    for (int i = 0; i < 10; ++i) store_->put(campaign_, some_block(next_++), measured(1));
    store_->commit();
  }
  /// How many outcomes a copy of the store holds when it is opened for writing.
  std::int64_t outcomes_of_copy() {
    const auto copy = folder_ / "copy.sqlite";
    Store store = Store::open(copy);
    EXPECT_EQ(SQLite::Database(copy).execAndGet("PRAGMA integrity_check").getString(), "ok");
    return summarize(store, some_campaign(store)).total();
  }
  void copy(const std::string& ending) const {
    std::filesystem::copy(path_.string() + ending, folder_ / ("copy.sqlite" + ending),
                          std::filesystem::copy_options::overwrite_existing);
  }
  std::string error_of_commit() {
    return error_of<EnvironmentError>([&] { commit_ten(); });
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "results.sqlite";
  std::optional<Store> store_ = Store::open(path_);
  CampaignId campaign_ = some_campaign(*store_);
  std::uint32_t next_ = 0;
};

TEST_F(CrashTest, ACopyOfFileAndLogHasWhatWasCommitted) {
  for (int tens = 1; tens <= 20; ++tens) {
    commit_ten();
    store_->put(campaign_, some_block(next_), measured(1));  // committed together with the next ten
    copy("");
    copy("-wal");
    EXPECT_EQ(outcomes_of_copy(), 11 * tens - 1);
    ++next_;
  }
}

TEST_F(CrashTest, ACopyOfTheFileAloneIsAStore) {
  commit_ten();
  copy("");
  EXPECT_EQ(outcomes_of_copy(), 0) << "all that was committed is in the log still";
  commit_ten();
  store_.reset();
  store_ = Store::open(path_);
  commit_ten();
  copy("");
  EXPECT_EQ(outcomes_of_copy(), 20);
}

TEST_F(CrashTest, ALogThatWasCutOffAnywhereHasTheCommitsBefore) {
  for (int i = 0; i < 5; ++i) commit_ten();
  const std::string log = content_of(path_.string() + "-wal");
  std::int64_t last = 0;
  constexpr std::size_t kCuts = 20;
  for (std::size_t cut = 0; cut <= kCuts; ++cut) {
    const std::size_t size = log.size() * cut / kCuts;
    copy("");
    write_file(folder_ / "copy.sqlite-wal", log.substr(0, size));
    const std::int64_t outcomes = outcomes_of_copy();
    EXPECT_EQ(outcomes % 10, 0) << "at " << size;
    EXPECT_GE(outcomes, last) << "at " << size;
    last = outcomes;
  }
  EXPECT_EQ(last, 50);
}

TEST_F(CrashTest, AByteOfTheLogThatChangedIsFoundUpToTheLatestCommit) {
  for (int i = 0; i < 4; ++i) commit_ten();
  const std::size_t latest = content_of(path_.string() + "-wal").size();
  commit_ten();
  const std::string log = content_of(path_.string() + "-wal");
  constexpr std::size_t kStep = 997;
  for (std::size_t at = 3; at < log.size(); at += at < 160 ? 1 : kStep) {
    copy("");
    std::string changed = log;
    changed[at] = static_cast<char>(~changed[at]);
    write_file(folder_ / "copy.sqlite-wal", changed);
    if (at < latest) {
      EXPECT_THAT(error_of<InputError>([&] { outcomes_of_copy(); }), HasSubstr("of its log is dam"))
          << "at " << at;
      EXPECT_TRUE(content_of(folder_ / "copy.sqlite-wal") == changed) << "it was written back";
    } else {
      EXPECT_EQ(outcomes_of_copy(), 40) << "at " << at;
    }
  }
}

TEST_F(CrashTest, ALogThatWasBegunAnewIsWhole) {
  for (int i = 0; i < 3; ++i) commit_ten();
  SQLite::Database(path_, SQLite::OPEN_READWRITE).exec("PRAGMA wal_checkpoint(RESTART)");
  commit_ten();  // fewer pages than are left from before
  copy("");
  copy("-wal");
  EXPECT_EQ(outcomes_of_copy(), 40);
}

TEST_F(CrashTest, ALogOfZerosIsOneWithoutCommits) {
  copy("");
  write_file(folder_ / "copy.sqlite-wal", std::string(8192, '\0'));
  EXPECT_EQ(outcomes_of_copy(), 0);
}

TEST_F(CrashTest, WhatTwoPowerFailuresLeaveInTheLogIsNoDamage) {
  commit_ten();
  const std::size_t before = content_of(path_.string() + "-wal").size();
  for (int i = 0; i < 300; ++i) store_->put(campaign_, some_block(next_++), measured(1));
  store_->commit();
  const std::string longer = content_of(path_.string() + "-wal");
  constexpr std::size_t kFrame = 4096 + 24;
  ASSERT_GT(longer.size(), before + 12 * kFrame);
  const auto spoilt = [&](std::string log) {
    char& byte = log[before + kFrame / 2];
    byte = static_cast<char>(~byte);
    return log;
  };
  // The first failure loses a page of the longer transaction, and the program goes on.
  copy("");
  write_file(folder_ / "copy.sqlite-wal", spoilt(longer));
  std::string shorter;
  {
    SQLite::Database other(folder_ / "copy.sqlite", SQLite::OPEN_READWRITE);
    other.exec("BEGIN; UPDATE block SET text = 'a'; UPDATE measurement SET cycles = 2; COMMIT");
    shorter = content_of(folder_ / "copy.sqlite-wal");
  }
  ASSERT_EQ(shorter.size(), longer.size()) << "what is left of the longer transaction is there";
  ASSERT_NE(shorter, spoilt(longer));
  // The second one loses the first page of the shorter transaction.
  copy("");
  write_file(folder_ / "copy.sqlite-wal", spoilt(shorter));
  EXPECT_EQ(outcomes_of_copy(), 10);
}

TEST_F(CrashTest, AStoreThatWasEmptiedBesideItsLogIsNotBegunAnew) {
  commit_ten();
  copy("-wal");
  write_file(folder_ / "copy.sqlite", "");
  const std::string log = content_of(folder_ / "copy.sqlite-wal");
  for (const auto& open : {&Store::open_read_only,
                           +[](const std::filesystem::path& path) { return Store::open(path); }}) {
    EXPECT_THAT(error_of<InputError>([&] { open(folder_ / "copy.sqlite"); }),
                HasSubstr("an empty file, with a log beside it"));
  }
  EXPECT_TRUE(content_of(folder_ / "copy.sqlite-wal") == log);
}

TEST_F(CrashTest, AStoreThatChangedIsNotWrittenOn) {
  commit_ten();
  store_.reset();
  SQLite::Database(path_, SQLite::OPEN_READWRITE).exec("UPDATE measurement SET cycles = 3");
  const std::string content = content_of(path_);
  EXPECT_THAT(error_of<InputError>([&] { Store::open(path_); }),
              AllOf(HasSubstr("results.sqlite: the store is damaged"), HasSubstr("measurement")));
  EXPECT_TRUE(content_of(path_) == content);
}

TEST_F(CrashTest, AStoreThatWasMovedHasAllThatWasCommitted) {
  commit_ten();
  std::filesystem::rename(path_, folder_ / "copy.sqlite");
  EXPECT_THAT(error_of_commit(), AllOf(HasSubstr("results.sqlite: the store was deleted, moved"),
                                       HasSubstr("in the file that was moved")));
  store_.reset();
  EXPECT_EQ(outcomes_of_copy(), 10);
}

TEST_F(CrashTest, AStoreThatWasDeletedIsNotWrittenOn) {
  commit_ten();
  std::filesystem::remove(path_);
  EXPECT_THAT(error_of_commit(), HasSubstr("gone with one that was deleted"));
  EXPECT_THAT(error_of_commit(), HasSubstr("results.sqlite: the store was deleted"));
  store_.reset();
  EXPECT_FALSE(std::filesystem::exists(path_));
  Store anew = Store::open(path_);
  EXPECT_EQ(summarize(anew, some_campaign(anew)).total(), 0);
  anew.put(some_campaign(anew), some_block(1), measured(1));
}

TEST_F(CrashTest, AnotherStoreInItsPlaceStaysAsItIs) {
  const auto other = folder_ / "other.sqlite";
  {
    Store store = Store::open(other);
    store.put(some_campaign(store), some_block(7), measured(7));
  }
  const std::string content = content_of(other);
  commit_ten();
  std::filesystem::rename(other, path_);
  EXPECT_THAT(error_of_commit(), HasSubstr("replaced"));
  store_.reset();
  EXPECT_TRUE(content_of(path_) == content);
  Store store = Store::open(path_);
  EXPECT_EQ(summarize(store, some_campaign(store)).total(), 1);
}

TEST_F(CrashTest, WhatWasNotCommittedIsNotWrittenAtTheEndEither) {
  commit_ten();
  store_->put(campaign_, some_block(next_), measured(1));
  std::filesystem::rename(path_, folder_ / "copy.sqlite");
  store_.reset();
  EXPECT_EQ(outcomes_of_copy(), 10);
}

}  // namespace
}  // namespace assay

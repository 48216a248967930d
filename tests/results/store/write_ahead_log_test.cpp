#include "results/store/write_ahead_log.h"

#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>

#include <optional>

#include "results/store/store.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

constexpr std::uintmax_t kMegabyte = 1 << 20;

class WriteAheadLogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    { Store::open(path_); }
    writer_.emplace(path_, SQLite::OPEN_READWRITE);
    use_write_ahead_log(*writer_, path_);
  }
  std::uintmax_t log_size() const { return std::filesystem::file_size(path_.string() + "-wal"); }
  void commit_megabyte() {
    writer_->exec(
        "INSERT INTO block (bytes, text, instructions) "
        "VALUES (randomblob(16), hex(zeroblob(524288)), 1)");
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "results.sqlite";
  std::optional<SQLite::Database> writer_;
};

TEST_F(WriteAheadLogTest, TheFileIsRarelyWrittenTo) {
  const std::string content = content_of(path_);
  for (int i = 0; i < 16; ++i) commit_megabyte();
  EXPECT_TRUE(content_of(path_) == content);
  EXPECT_GT(log_size(), 16 * kMegabyte);
}

TEST_F(WriteAheadLogTest, IsEmptiedOnlyWhenItIsTooLong) {
  commit_megabyte();
  bound_write_ahead_log(*writer_, path_, 4 * kMegabyte);
  EXPECT_GT(log_size(), kMegabyte);
  bound_write_ahead_log(*writer_, path_, kMegabyte / 2);
  EXPECT_EQ(log_size(), 0U);
}

TEST_F(WriteAheadLogTest, AReaderKeepsItForTheMomentAndNotTheWriterFromWriting) {
  SQLite::Database reader(path_);
  reader.exec("BEGIN");
  EXPECT_EQ(reader.execAndGet("SELECT count(*) FROM block").getInt(), 0);
  commit_megabyte();
  bound_write_ahead_log(*writer_, path_, kMegabyte / 2);
  EXPECT_GT(log_size(), kMegabyte);
  commit_megabyte();
  EXPECT_EQ(reader.execAndGet("SELECT count(*) FROM block").getInt(), 0);
  reader.exec("COMMIT");
  bound_write_ahead_log(*writer_, path_, kMegabyte / 2);
  EXPECT_EQ(log_size(), 0U);
  EXPECT_EQ(reader.execAndGet("SELECT count(*) FROM block").getInt(), 2);
}

TEST_F(WriteAheadLogTest, ACommitIsOnTheDisk) {
  EXPECT_EQ(writer_->execAndGet("PRAGMA synchronous").getInt(), 2);
}

}  // namespace
}  // namespace assay

// Which files a store refuses and with what message, and that the files do not change.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <SQLiteCpp/Database.h>

#include <optional>

#include "profiler/support/error.h"
#include "results/findings/summary.h"
#include "results/store/schema.h"
#include "results/store/store.h"
#include "tests/error_of.h"
#include "tests/results/records.h"
#include "tests/results/store/child.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::size_t kUserVersionOffset = 60;  // in the header of an SQLite file; big-endian

class RefusalTest : public ::testing::Test {
 protected:
  void make_store() {
    Store store = Store::open(path_);
    const CampaignId campaign = some_campaign(store);
    for (std::uint32_t i = 0; i < 1000; ++i) store.put(campaign, some_block(i), measured(1));
  }

  /// Expects the file to be refused to writers and readers with an InputError that says `words`,
  /// and everything in its folder to stay as it is.
  void expect_refused(const std::filesystem::path& path,
                      const ::testing::Matcher<const std::string&>& words) {
    const auto before = snapshot(folder_.path());
    EXPECT_THAT(error_of<InputError>([&] { Store::open(path); }), words);
    EXPECT_THAT(error_of<InputError>([&] { Store::open_read_only(path); }), words);
    EXPECT_EQ(snapshot(folder_.path()), before);
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "results.sqlite";
};

TEST_F(RefusalTest, AFileThatIsNotSqlite) {
  write_file(path_, "48c7c003000000,0.5\n4801d8,0.25\n");
  expect_refused(path_, AllOf(HasSubstr(path_), HasSubstr("not a store of assay")));
}

TEST_F(RefusalTest, ALongFileThatIsNotSqlite) {
  write_file(path_, std::string(8192, '\0'));
  expect_refused(path_, HasSubstr("not even an SQLite file"));
}

TEST_F(RefusalTest, AnotherProgramsSqliteFile) {
  SQLite::Database(path_, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE block (id INTEGER)");
  expect_refused(path_, AllOf(HasSubstr(path_), HasSubstr("another program's SQLite file")));
}

TEST_F(RefusalTest, ANewerSchemaVersion) {
  make_store();
  std::string content = content_of(path_);
  content[kUserVersionOffset + 3] = static_cast<char>(kSchemaVersion + 1);
  write_file(path_, content);
  expect_refused(path_, AllOf(HasSubstr("schema version " + std::to_string(kSchemaVersion + 1)),
                              HasSubstr("use a newer assay"), HasSubstr("it is damaged")));
}

TEST_F(RefusalTest, AnOlderSchemaVersion) {
  make_store();
  std::string content = content_of(path_);
  for (std::uint32_t version = 1; version < kSchemaVersion; ++version) {
    content[kUserVersionOffset + 3] = static_cast<char>(version);
    write_file(path_, content);
    const char* const reader = version <= 5    ? "0.1.0"
                               : version <= 6  ? "0.2.0"
                               : version <= 7  ? "0.3.0"
                               : version <= 8  ? "0.4.0"
                               : version <= 9  ? "0.5.0"
                               : version <= 10 ? "0.6.0"
                                               : "a version that this test has to name";
    expect_refused(path_, AllOf(HasSubstr("schema version " + std::to_string(version)),
                                HasSubstr(std::string("use assay ") + reader)));
  }
}

TEST_F(RefusalTest, AMarkWithoutASchemaVersion) {
  make_store();
  std::string content = content_of(path_);
  content[kUserVersionOffset + 3] = 0;
  write_file(path_, content);
  expect_refused(path_, HasSubstr("schema version 0"));
}

TEST_F(RefusalTest, ATruncatedStore) {
  make_store();
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) / 2);
  expect_refused(path_, AllOf(HasSubstr(path_), HasSubstr("damaged")));
}

TEST_F(RefusalTest, AStoreWithoutItsLastByte) {
  make_store();
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 1);
  expect_refused(path_, AllOf(HasSubstr(path_), HasSubstr("damaged"), HasSubstr("are missing")));
}

TEST_F(RefusalTest, AStoreWhoseTablesAreGone) {
  make_store();
  std::string content = content_of(path_);
  content.replace(100, content.size() - 100, content.size() - 100, '\x55');
  write_file(path_, content);
  expect_refused(path_, HasSubstr("damaged"));
}

TEST_F(RefusalTest, AFolder) { expect_refused(folder_.path(), HasSubstr("is a directory")); }

TEST_F(RefusalTest, AFifoWhichIsNotEvenOpened) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  expect_refused(path_, HasSubstr("is no regular file"));
}

TEST_F(RefusalTest, AFolderThatDoesNotExist) {
  EXPECT_THAT(error_of<InputError>([&] { Store::open(folder_ / "none/results.sqlite"); }),
              AllOf(HasSubstr(folder_ / "none"), HasSubstr("does not exist")));
}

TEST_F(RefusalTest, AnEmptyName) {
  EXPECT_THAT(error_of<InputError>([] { Store::open(""); }), HasSubstr("name a file"));
}

TEST_F(RefusalTest, AReaderOfAMissingOrEmptyFile) {
  EXPECT_THAT(error_of<InputError>([&] { Store::open_read_only(path_); }),
              HasSubstr("there is no such store"));
  write_file(path_, "");
  EXPECT_THAT(error_of<InputError>([&] { Store::open_read_only(path_); }),
              HasSubstr("holds no store yet"));
  EXPECT_THAT(snapshot(folder_.path()),
              ::testing::ElementsAre(::testing::Pair("results.sqlite", "")));
}

TEST_F(RefusalTest, AStoreThatAnotherProcessIsWritingUntilItEnds) {
  std::optional<Store> store;
  Child child([&] {
    store.emplace(Store::open(path_));
    some_campaign(*store);
    return std::string("ready");
  });
  ASSERT_EQ(child.report(), "ready");
  const auto before = snapshot(folder_.path());
  EXPECT_THAT(error_of<EnvironmentError>([&] { Store::open(path_); }),
              AllOf(HasSubstr(path_), HasSubstr("another assay is writing this store")));
  EXPECT_EQ(snapshot(folder_.path()), before);
  EXPECT_EQ(Store::open_read_only(path_).campaigns().size(), 1U);
  child.kill();
  EXPECT_EQ(Store::open(path_).campaigns().size(), 1U);
}

TEST_F(RefusalTest, AStoreThatIsBeingWrittenInThisProcess) {
  const Store writer = Store::open(path_);
  EXPECT_THAT(error_of<EnvironmentError>([&] { Store::open(path_); }),
              HasSubstr("another assay is writing this store"));
}

const std::string kNoError = "no error";  // not empty, as the report of a child that crashes is

/// What opening a store says to a user who is not the folder's owner.
std::string message_to_nobody(const std::function<void()>& open) {
  constexpr uid_t kNobody = 65534;
  const Child child([&] {
    if (geteuid() == 0 && (setgid(kNobody) != 0 || setuid(kNobody) != 0)) {
      return std::string("cannot become nobody");
    }
    const std::string error = error_of<EnvironmentError>(open);
    return error.empty() ? kNoError : error;
  });
  return child.report();
}

class PermissionTest : public RefusalTest {
 protected:
  void TearDown() override { chmod(folder_.path().c_str(), 0700); }
};

TEST_F(PermissionTest, AFolderThatMayNotBeWritten) {
  chmod(folder_.path().c_str(), 0555);
  EXPECT_THAT(message_to_nobody([&] { Store::open(path_); }),
              AllOf(HasSubstr(folder_.path()), HasSubstr("cannot be written"),
                    HasSubstr("Permission denied"), HasSubstr("name a store elsewhere")));
  EXPECT_TRUE(snapshot(folder_.path()).empty());
}

TEST_F(PermissionTest, AFileThatMayNotBeWritten) {
  make_store();
  chmod(path_.c_str(), 0444);
  chmod(folder_.path().c_str(), 0777);
  const auto before = snapshot(folder_.path());
  EXPECT_THAT(message_to_nobody([&] { Store::open(path_); }),
              AllOf(HasSubstr(path_), HasSubstr("cannot be written")));
  EXPECT_EQ(snapshot(folder_.path()), before);
}

TEST_F(PermissionTest, AFileThatMayNotBeReadAtAll) {
  make_store();
  chmod(path_.c_str(), 0000);
  chmod(folder_.path().c_str(), 0555);
  EXPECT_THAT(message_to_nobody([&] { Store::open_read_only(path_); }),
              AllOf(HasSubstr(path_), HasSubstr("Permission denied")));
}

TEST_F(PermissionTest, ButAReaderReadsWhereNothingMayBeWritten) {
  make_store();
  chmod(path_.c_str(), 0444);
  chmod(folder_.path().c_str(), 0555);
  const auto before = snapshot(folder_.path());
  EXPECT_EQ(message_to_nobody([&] {
              Store reader = Store::open_read_only(path_);
              if (summarize(reader, CampaignId{1}).total() != 1000)
                throw EnvironmentError("not all");
            }),
            kNoError);
  EXPECT_EQ(snapshot(folder_.path()), before);
}

}  // namespace
}  // namespace assay

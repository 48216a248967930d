#include "results/store/store_error.h"

#include <SQLiteCpp/Exception.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <unistd.h>

#include "profiler/support/error.h"
#include "tests/error_of.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(StoreError, SaysWhatALogNeedsWhereThereIsOne) {
  const TemporaryFolder folder;
  const std::string store = folder / "s.sqlite";
  const auto told = [&] {
    return error_of<EnvironmentError>(
        [&] { throw_store_error(store, SQLite::Exception("unable to open", SQLITE_CANTOPEN)); });
  };
  EXPECT_THAT(told(), AllOf(HasSubstr("must be readable"), Not(HasSubstr("-wal"))));
  folder.write("s.sqlite-wal", "a log");
  EXPECT_THAT(told(), AllOf(HasSubstr(store + "-wal"), HasSubstr("copy both")));
}

TEST(StoreError, NamesTheLimitOnOpenFilesWhereThatIsReached) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  const int next = dup(STDIN_FILENO);
  ASSERT_GE(next, 0);
  close(next);
  // Room for two, which a sanitizer may need, and not for the four of a connection.
  few.rlim_cur = static_cast<rlim_t>(next) + 2;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const std::string told = error_of<EnvironmentError>(
      [] { throw_store_error("s", SQLite::Exception("unable to open", SQLITE_CANTOPEN)); });
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_THAT(told, AllOf(HasSubstr("ulimit -n"), Not(HasSubstr("must be readable"))));
}

}  // namespace
}  // namespace assay

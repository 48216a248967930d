#include "results/store/shared_descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include "profiler/support/error.h"
#include "tests/results/records.h"
#include "tests/results/store/child.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

// The bytes on which an SQLite connection holds a shared lock (the file format's "lock-byte page").
constexpr off_t kSqliteSharedFirst = 0x40000002;
constexpr off_t kSqliteSharedSize = 510;

/// What another process sees of SQLite's lock on the file: "locked" or "free".
std::string sqlite_lock_seen_from_outside(const std::filesystem::path& path) {
  const Child child([&path] {
    const int descriptor = open(path.c_str(), O_RDWR);
    struct flock wanted {};
    wanted.l_type = F_WRLCK;
    wanted.l_start = kSqliteSharedFirst;
    wanted.l_len = kSqliteSharedSize;
    if (fcntl(descriptor, F_GETLK, &wanted) != 0) return std::string("no answer");
    return std::string(wanted.l_type == F_UNLCK ? "free" : "locked");
  });
  return child.report();
}

TEST(SharedDescriptorTest, SqliteKeepsItsLocksWhenAnotherStoreOfTheFileIsClosed) {
  TemporaryFolder folder;
  const auto path = folder / "results.sqlite";
  Store writer = Store::open(path);
  some_campaign(writer);
  ASSERT_EQ(sqlite_lock_seen_from_outside(path), "locked");
  { Store::open_read_only(path); }
  EXPECT_THROW(Store::open(path), EnvironmentError);
  EXPECT_EQ(sqlite_lock_seen_from_outside(path), "locked");
}

TEST(SharedDescriptorTest, IsOneDescriptorForOneFile) {
  TemporaryFolder folder;
  const SharedDescriptor first(folder / "a", true);
  const SharedDescriptor second(folder / "a", true);
  const SharedDescriptor other(folder / "b", true);
  EXPECT_EQ(first.get(), second.get());
  EXPECT_NE(first.get(), other.get());
}

/// What another process gets when it asks for assay's lock: "locked" or "free".
std::string assay_lock_seen_from_outside(const std::filesystem::path& path) {
  const Child child([&path] {
    const int descriptor = open(path.c_str(), O_RDONLY);
    return std::string(flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? "free" : "locked");
  });
  return child.report();
}

TEST(SharedDescriptorTest, LocksOnceAndFreesTheLockThoughTheDescriptorStaysOpen) {
  TemporaryFolder folder;
  SharedDescriptor staying(folder / "a", true);
  {
    SharedDescriptor holder(folder / "a", true);
    EXPECT_TRUE(holder.try_lock());
    EXPECT_FALSE(staying.try_lock());
    EXPECT_EQ(assay_lock_seen_from_outside(folder / "a"), "locked");
  }
  EXPECT_EQ(assay_lock_seen_from_outside(folder / "a"), "free");
  EXPECT_TRUE(staying.try_lock());
}

TEST(SharedDescriptorTest, ClosesOnExec) {
  TemporaryFolder folder;
  const SharedDescriptor descriptor(folder / "a", true);
  EXPECT_EQ(fcntl(descriptor.get(), F_GETFD), FD_CLOEXEC);
}

TEST(SharedDescriptorTest, CreatesOnlyWhenToldTo) {
  TemporaryFolder folder;
  EXPECT_THROW(SharedDescriptor(folder / "a", false), EnvironmentError);
  EXPECT_TRUE(snapshot(folder.path()).empty());
}

}  // namespace
}  // namespace assay

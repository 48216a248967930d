#include "harness/output/output_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/command_line.h"
#include "profiler/support/error.h"
#include "tests/error_of.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

class OutputFileTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string path_ = folder_ / "out.csv";
};

TEST_F(OutputFileTest, IsThereWhenItIsFinished) {
  OutputFile out(path_);
  out.write("a\n");
  out.write(std::string(1 << 20, 'b'));
  EXPECT_FALSE(std::filesystem::exists(path_));
  out.finish();
  EXPECT_THAT(snapshot(folder_.path()),
              ElementsAre(Pair("out.csv", "a\n" + std::string(1 << 20, 'b'))));
}

TEST_F(OutputFileTest, LeavesNothingUnlessItIsFinished) {
  {
    OutputFile out(path_);
    out.write(std::string(1 << 20, 'b'));
    EXPECT_THAT(snapshot(folder_.path()), SizeIs(1));
  }
  EXPECT_THAT(snapshot(folder_.path()), IsEmpty());
}

TEST_F(OutputFileTest, TheOldFileStaysUntilTheNewOneIsWhole) {
  write_file(path_, "old");
  chmod(path_.c_str(), 0640);
  { OutputFile(path_).write("half of the new one"); }
  EXPECT_EQ(content_of(path_), "old");
  OutputFile out(path_);
  out.write("new");
  out.finish();
  EXPECT_EQ(content_of(path_), "new");
  struct stat status {};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U) << "whoever might read it may read it still";
}

TEST_F(OutputFileTest, NoDatabaseIsReplacedNorWhatBelongsToIt) {
  const std::string store =
      folder_.write("a.sqlite", std::string("SQLite format 3") + std::string(85, '\0'));
  const std::string unfinished = folder_.write("b.sqlite", "");
  folder_.write("b.sqlite-wal", "everything");
  for (const std::string& path : {store, store + "-wal", store + "-shm", store + "-journal",
                                  unfinished, unfinished + "-wal"}) {
    EXPECT_THAT(error_of<InputError>([&] { OutputFile out(path); }),
                AllOf(HasSubstr(path), HasSubstr("SQLite database")));
  }
  EXPECT_THAT(snapshot(folder_.path()), SizeIs(3));
  OutputFile(folder_ / "c-wal").finish();
}

TEST_F(OutputFileTest, ANewFileHasTheUsualPermissions) {
  const mode_t mask = umask(027);
  OutputFile out(path_);
  out.finish();
  EXPECT_EQ(umask(mask), 027U) << "as it was";
  struct stat status {};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

TEST_F(OutputFileTest, ALinkStaysALink) {
  write_file(folder_ / "real.csv", "old");
  std::filesystem::create_symlink(folder_ / "real.csv", path_);
  OutputFile out(path_);
  out.write("new");
  out.finish();
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
  EXPECT_EQ(content_of(folder_ / "real.csv"), "new");
}

TEST_F(OutputFileTest, ALinkToNoFileStaysALinkToTheNewOne) {
  const std::string real = folder_ / "real.csv";
  std::filesystem::create_directory(folder_ / "links");
  std::filesystem::create_symlink("../real.csv", folder_ / "links/one.csv");
  std::filesystem::create_symlink("links/one.csv", path_);
  EXPECT_THAT(error_of<UsageError>([&] { check_is_no_other("--out", path_, {real}); }),
              HasSubstr("names " + real + " itself"));
  OutputFile out(path_);
  out.write("new");
  out.finish();
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "links/one.csv"));
  EXPECT_FALSE(std::filesystem::is_symlink(real));
  EXPECT_EQ(content_of(real), "new");
}

TEST_F(OutputFileTest, RefusesALinkThatLeadsNowhere) {
  std::filesystem::create_symlink("out.csv", path_);
  EXPECT_THAT(error_of<InputError>([&] { OutputFile out(path_); }), HasSubstr(path_));
  std::filesystem::remove(path_);
  std::filesystem::create_symlink("none/out.csv", path_);
  EXPECT_THAT(error_of<InputError>([&] { OutputFile out(path_); }),
              AllOf(HasSubstr(path_), HasSubstr("create it first")));
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
}

TEST_F(OutputFileTest, RefusesWhatIsNoFile) {
  EXPECT_THROW(OutputFile("/dev/null"), InputError);
  EXPECT_THROW(OutputFile(folder_.path()), InputError);
  EXPECT_THROW(OutputFile(""), InputError);
  EXPECT_THROW(OutputFile(folder_ / "no/such/folder/out.csv"), InputError);
  EXPECT_THAT(snapshot(folder_.path()), IsEmpty());
}

}  // namespace
}  // namespace assay

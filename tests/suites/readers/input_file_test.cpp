#include "suites/readers/input_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <string_view>

#include "profiler/support/error.h"
#include "tests/error_of.h"
#include "tests/suites/readers/temporary_file.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string read_some(InputFile& file) {
  std::array<char, 64> buffer{};
  return {buffer.data(), file.read(buffer)};
}

TEST(InputFile, ReadsToTheEnd) {
  const TemporaryFile corpus("4801d8\n");
  InputFile file = InputFile::open(corpus.path());
  EXPECT_EQ(file.name(), corpus.path());
  EXPECT_EQ(read_some(file), "4801d8\n");
  EXPECT_EQ(read_some(file), "");
}

TEST(InputFile, StaysOpenWhenMoved) {
  const TemporaryFile corpus("90\n");
  InputFile first = InputFile::open(corpus.path());
  InputFile second(std::move(first));
  EXPECT_EQ(read_some(second), "90\n");
}

TEST(InputFile, SaysThatAFileIsMissing) {
  const std::string path = testing::TempDir() + "no-such-corpus.csv";
  EXPECT_THAT(error_of<InputError>([&] { InputFile::open(path); }),
              AllOf(HasSubstr(path), HasSubstr("No such file")));
}

TEST(InputFile, SaysThatAFolderIsNoFile) {
  InputFile folder = InputFile::open(testing::TempDir());
  EXPECT_THAT(error_of<InputError>([&] { read_some(folder); }),
              AllOf(HasSubstr(testing::TempDir()), HasSubstr("Is a directory")));
}

TEST(InputFile, RefusesDevicesThatAreNoTerminals) {
  EXPECT_THAT(error_of<InputError>([] { InputFile::open("/dev/zero"); }),
              AllOf(HasSubstr("/dev/zero"), HasSubstr("is a character device")));
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_TRUE(terminal >= 0 && ::grantpt(terminal) == 0 && ::unlockpt(terminal) == 0);
  EXPECT_EQ(error_of<InputError>([&] { InputFile::open(::ptsname(terminal)); }), "");
  ::close(terminal);
}

TEST(InputFile, ANamedPipeHasNothingUntilSomebodyWritesToIt) {
  const TemporaryFolder folder;
  const std::string path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  InputFile file = InputFile::open(path);
  EXPECT_FALSE(file.has_something()) << "not even an end";
  const int writer = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  EXPECT_FALSE(file.has_something());
  ASSERT_EQ(::write(writer, "90\n", 3), 3);
  EXPECT_TRUE(file.has_something());
  EXPECT_EQ(read_some(file), "90\n");
  ::close(writer);
  EXPECT_TRUE(file.has_something());
  EXPECT_EQ(read_some(file), "");
}

TEST(InputFile, SaysThatAFileMayNotBeRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "the superuser may read every file";
  const TemporaryFile corpus("90\n");
  ASSERT_EQ(::chmod(corpus.path().c_str(), 0), 0);
  EXPECT_THAT(error_of<InputError>([&] { InputFile::open(corpus.path()); }),
              AllOf(HasSubstr(corpus.path()), HasSubstr("Permission denied")));
}

TEST(InputFile, SaysThatReadingFailedHalfWay) {
  // A socket whose other end was closed with unread data gives the data that it has, and then an
  // error.
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  ASSERT_EQ(::write(ends[0], "x", 1), 1);
  ASSERT_EQ(::write(ends[1], "90\n", 3), 3);
  ::close(ends[1]);
  InputFile file(ends[0], "broken.csv");
  EXPECT_EQ(read_some(file), "90\n");
  EXPECT_THAT(error_of<InputError>([&] { read_some(file); }),
              AllOf(HasSubstr("broken.csv"), HasSubstr("Connection reset")));
}

}  // namespace
}  // namespace assay

// The folder of temporary files, whose owner may be killed at any moment.
#include "suites/extract/dynamic/private_folder.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "profiler/support/error.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

using testing::HasSubstr;

/// Whether the folder gets empty within ten seconds.
bool gets_empty(const std::filesystem::path& folder) {
  for (int i = 0; i < 2000 && !std::filesystem::is_empty(folder); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return std::filesystem::is_empty(folder);
}

TEST(PrivateFolder, IsRemovedWithWhatIsInIt) {
  const TemporaryFolder parent;
  const TemporaryFilesIn set(parent.path());
  {
    const PrivateFolder folder;
    EXPECT_EQ(folder.path().parent_path(), parent.path());
    EXPECT_EQ(std::filesystem::status(folder.path()).permissions(),
              std::filesystem::perms::owner_all);
    std::ofstream(folder.path() / "file") << "text";
    EXPECT_NO_THROW(folder.check_room());
    const PrivateFolder other;
    EXPECT_NE(other.path(), folder.path());
  }
  EXPECT_TRUE(std::filesystem::is_empty(parent.path()));
}

// The owner is killed as soon as the folder can be seen, and a little later each time: a folder
// that is there before its keeper is would stay.
TEST(PrivateFolder, NeverOutlivesAnOwnerThatIsKilled) {
  const TemporaryFolder parent;
  const TemporaryFilesIn set(parent.path());
  constexpr int kTries = 40;
  for (int i = 0; i < kTries; ++i) {
    const pid_t owner = fork();
    ASSERT_GE(owner, 0);
    if (owner == 0) {
      try {
        const PrivateFolder folder;
        pause();
      } catch (const EnvironmentError&) {
      }
      _exit(1);  // not on with the parent's tests
    }
    while (std::filesystem::is_empty(parent.path()) && waitpid(owner, nullptr, WNOHANG) == 0) {
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20 * (i % 10)));
    kill(owner, SIGKILL);
    ASSERT_EQ(waitpid(owner, nullptr, 0), owner);
    ASSERT_TRUE(gets_empty(parent.path())) << i;
  }
}

TEST(PrivateFolder, SaysWhereNoneCanBeMade) {
  const struct {
    const char* parent;
    const char* problem;
  } kCases[] = {{"/nowhere", "no folder for temporary files: set TMPDIR to one"},
                {"/proc", "cannot make a temporary folder in /proc; TMPDIR may name another"}};
  for (const auto& wrong : kCases) {
    const TemporaryFilesIn set(wrong.parent);
    try {
      const PrivateFolder folder;
      FAIL() << folder.path();
    } catch (const EnvironmentError& error) {
      EXPECT_THAT(error.what(), HasSubstr(wrong.problem));
    }
  }
}

}  // namespace
}  // namespace assay

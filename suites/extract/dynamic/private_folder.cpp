#include "suites/extract/dynamic/private_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <string>
#include <system_error>
#include <utility>

#include "profiler/support/descriptor.h"
#include "profiler/support/error.h"
#include "profiler/support/pipe.h"

namespace assay {
namespace {

/// How many bytes must still fit: where fewer do, there is no room for a profile.
constexpr std::size_t kRoom = std::size_t{256} * 1024;

/// Tries to write kRoom bytes to a new file; returns 0 or an errno.
int error_of_writing(const std::filesystem::path& path) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.get() < 0) return errno;
  const std::string filling(kRoom, ' ');
  for (std::size_t written = 0; written < filling.size();) {
    const ssize_t count = write(file.get(), filling.data() + written, filling.size() - written);
    if (count < 0 && errno != EINTR) return errno;
    if (count > 0) written += static_cast<std::size_t>(count);
  }
  return 0;
}

/// Waits until the pipe's other end is closed, and then removes the folder if its owner has not.
/// What was killed with the owner may still be writing to it.
[[noreturn]] void keep(const std::filesystem::path& folder, int pipe) {
  setsid();  // what is sent to the owner's process group is not for this process
  prctl(PR_SET_NAME, "assay-tidy");
  // Others wait for the end of what they read from the owner.
  const auto end = static_cast<unsigned>(pipe);
  if (end > 0) close_range(0, end - 1, 0);
  close_range(end + 1, ~0U, 0);
  char nothing = 0;
  ssize_t count = 0;
  while ((count = read(pipe, &nothing, sizeof nothing)) < 0 && errno == EINTR) {
  }
  if (count != 0) _exit(1);
  constexpr int kTries = 50;
  constexpr timespec kPause{0, 100'000'000};
  std::error_code error;
  for (int i = 0; i < kTries && std::filesystem::exists(folder, error); ++i) {
    if (i > 0) nanosleep(&kPause, nullptr);
    std::filesystem::remove_all(folder, error);
  }
  _exit(0);
}

/// Starts that process, as a child of nobody here: whoever waits for all of its children does not
/// wait for it. Without it, the folder of a process that is killed stays.
Descriptor start_keeper(const std::filesystem::path& folder) {
  auto [to_read, to_write] = make_pipe();
  const pid_t parent = fork();
  if (parent == 0) {
    to_write.close();
    if (fork() == 0) keep(folder, to_read.get());
    _exit(0);
  }
  while (parent > 0 && waitpid(parent, nullptr, 0) < 0 && errno == EINTR) {
  }
  return std::move(to_write);
}

}  // namespace

PrivateFolder::PrivateFolder() {
  std::error_code error;
  const auto parent = std::filesystem::temp_directory_path(error);
  if (error) {
    throw EnvironmentError("no folder for temporary files: set TMPDIR to one (" + error.message() +
                           ")");
  }
  std::string name = std::filesystem::absolute(parent / "assay-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw EnvironmentError(describe_errno(
        "cannot make a temporary folder in " + parent.string() + "; TMPDIR may name another",
        errno));
  }
  path_ = name;
  keeper_ = start_keeper(path_);
}

void PrivateFolder::check_room() const {
  const std::filesystem::path trial = path_ / "room";
  const int problem = error_of_writing(trial);
  std::error_code ignored;
  std::filesystem::remove(trial, ignored);
  if (problem == 0) return;
  throw EnvironmentError(describe_errno(
      fmt::format("not everything that was recorded could be written to {}: set TMPDIR to a folder "
                  "with more room",
                  path_.parent_path().string()),
      problem));
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace assay

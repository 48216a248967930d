#include "suites/extract/dynamic/private_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
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

/// The end of a folder's name that mkdtemp() chooses.
constexpr std::string_view kPlaceholder = "XXXXXX";

/// What the keeper tells once it has tried to make the folder.
struct Made {
  int error;  ///< errno, or 0
  std::array<char, kPlaceholder.size()> end;
};

/// Makes the folder, tells its name, waits until the owner's end of `owner` is closed, and then
/// removes the folder if its owner has not. What was killed with the owner may still be writing to
/// it.
[[noreturn]] void keep(std::string name, int to_tell, int owner) {
  setsid();  // what is sent to the owner's process group is not for this process
  prctl(PR_SET_NAME, "assay-tidy");
  Made made{mkdtemp(name.data()) == nullptr ? errno : 0, {}};
  std::copy_n(name.end() - kPlaceholder.size(), kPlaceholder.size(), made.end.begin());
  const bool told = write(to_tell, &made, sizeof made) == sizeof made;
  if (made.error != 0) _exit(1);
  // Others wait for the end of what they read from the owner.
  const auto end = static_cast<unsigned>(owner);
  if (end > 0) close_range(0, end - 1, 0);
  close_range(end + 1, ~0U, 0);
  char nothing = 0;
  ssize_t count = 0;
  while (told && (count = read(owner, &nothing, sizeof nothing)) < 0 && errno == EINTR) {
  }
  if (count != 0) _exit(1);
  constexpr int kTries = 50;
  constexpr timespec kPause{0, 100'000'000};
  std::error_code error;
  for (int i = 0; i < kTries && std::filesystem::exists(name, error); ++i) {
    if (i > 0) nanosleep(&kPause, nullptr);
    std::filesystem::remove_all(name, error);
  }
  _exit(0);
}

/// A folder, and the end of a pipe whose closing tells its keeper that its owner is gone.
struct Kept {
  int error;  ///< the errno of making the folder; 0 if there is one
  std::string folder;
  Descriptor keeper;
};

/// Starts that process, as a child of nobody here: whoever waits for all of its children does not
/// wait for it. It makes the folder, so that none is ever without it, at whatever moment the owner
/// is killed. Throws EnvironmentError if no process can be started.
Kept make_kept_folder(std::string name) {
  auto [from_keeper, to_tell] = make_pipe();
  auto [owner_at_keeper, owner] = make_pipe();
  const pid_t parent = fork();
  if (parent == 0) {
    owner.close();
    from_keeper.close();
    std::signal(SIGPIPE, SIG_IGN);
    if (fork() == 0) keep(std::move(name), to_tell.get(), owner_at_keeper.get());
    _exit(0);
  }
  const int of_fork = errno;
  while (parent > 0 && waitpid(parent, nullptr, 0) < 0 && errno == EINTR) {
  }
  to_tell.close();
  Made made{};
  ssize_t count = 0;
  while (parent > 0 && (count = read(from_keeper.get(), &made, sizeof made)) < 0 &&
         errno == EINTR) {
  }
  if (count != sizeof made) {
    throw EnvironmentError(
        describe_errno("cannot start a process that removes the folder of temporary files",
                       parent < 0 ? of_fork : EAGAIN));
  }
  name.replace(name.size() - kPlaceholder.size(), kPlaceholder.size(), made.end.data(),
               made.end.size());
  return {made.error, std::move(name), std::move(owner)};
}

}  // namespace

PrivateFolder::PrivateFolder() {
  std::error_code error;
  const auto parent = std::filesystem::temp_directory_path(error);
  if (error) {
    throw EnvironmentError("no folder for temporary files: set TMPDIR to one (" + error.message() +
                           ")");
  }
  const auto name = fmt::format("assay-{}", kPlaceholder);
  Kept kept = make_kept_folder(std::filesystem::absolute(parent / name).string());
  if (kept.error != 0) {
    throw EnvironmentError(describe_errno(
        "cannot make a temporary folder in " + parent.string() + "; TMPDIR may name another",
        kept.error));
  }
  path_ = std::move(kept.folder);
  keeper_ = std::move(kept.keeper);
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

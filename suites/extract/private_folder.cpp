#include "suites/extract/private_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include "profiler/support/descriptor.h"
#include "profiler/support/error.h"

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

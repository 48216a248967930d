#include "harness/output/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "harness/campaign/interrupt.h"
#include "harness/command_line.h"
#include "profiler/support/error.h"
#include "results/store/store_file.h"

namespace assay {
namespace {

constexpr std::size_t kBuffer = 1 << 16;
constexpr mode_t kReadWriteForAll = 0666;  // without what the umask forbids, as for any new file

[[noreturn]] void throw_errno(const std::string& path, const char* what) {
  throw EnvironmentError(describe_file_errno(fmt::format("{}: {}", path, what), errno));
}

mode_t usual_mode() {
  const mode_t mask = umask(0);  // the umask can only be read by setting it
  umask(mask);
  return kReadWriteForAll & ~mask;
}

void end_if_interrupted() {
  if (const int signal = InterruptGuard::signal(); signal != 0) throw OutputEnded(signal);
}

/// The absolute path with all links followed, whether or not there is a file at the end.
std::filesystem::path resolved(const std::string& path, std::error_code& error) {
  auto target = std::filesystem::weakly_canonical(std::filesystem::absolute(path), error);
  // weakly_canonical() takes a link to no file for a name that nothing has.
  std::error_code missing;
  while (!error && std::filesystem::is_symlink(target, missing)) {
    const auto next = target.parent_path() / std::filesystem::read_symlink(target, error);
    if (!error) target = std::filesystem::weakly_canonical(next, error);
  }
  return target;
}

/// The file that the path leads to, which must be a regular one if it exists: renaming to the name
/// of a link would replace the link, and to that of a device the device.
std::filesystem::path target_of(const std::string& path) {
  std::error_code error;
  auto target = resolved(path, error);
  if (error) throw InputError(fmt::format("{}: {}", path, error.message()));
  const auto kind = std::filesystem::status(target, error).type();
  if (kind != std::filesystem::file_type::regular &&
      kind != std::filesystem::file_type::not_found) {
    throw InputError(fmt::format("{}: is no regular file: name a file, or '-'", path));
  }
  if (!std::filesystem::is_directory(target.parent_path(), error)) {
    throw InputError(fmt::format("{}: the folder {} does not exist: create it first", path,
                                 target.parent_path().string()));
  }
  return target;
}

bool is_same_file(const std::string& one, const std::string& other) {
  std::error_code missing;
  if (std::filesystem::equivalent(one, other, missing) && !missing) {
    return std::filesystem::is_regular_file(one, missing);
  }
  // Two files that do not exist yet are compared by their paths.
  return !std::filesystem::exists(one, missing) && !std::filesystem::exists(other, missing) &&
         resolved(one, missing) == resolved(other, missing);
}

}  // namespace

void check_is_no_other(const std::string& option, const std::string& output,
                       const std::vector<std::string>& files) {
  if (output.empty() || output == "-") return;
  for (const std::string& file : files) {
    if (file.empty() || file == "-" || !is_same_file(output, file)) continue;
    throw UsageError(
        fmt::format("{} names {} itself: name another file to write to", option, file));
  }
}

OutputFile::OutputFile(const std::string& path)
    : shown_(path == "-" ? "standard output" : path), descriptor_(STDOUT_FILENO) {
  if (path == "-") return;
  if (path.empty()) throw InputError("the output's name is empty: name a file");
  path_ = target_of(path);
  if (is_part_of_database(path_)) {
    throw InputError(fmt::format(
        "{} belongs to an SQLite database, which may hold results, and stays as it is: name "
        "another file, or remove it first",
        path));
  }
  open_beside();
}

OutputFile::~OutputFile() {
  if (temporary_.empty()) return;
  close(descriptor_);
  unlink(temporary_.c_str());
}

void OutputFile::open_beside() {
  temporary_ = path_.string() + ".XXXXXX";
  descriptor_ = mkostemp(temporary_.data(), O_CLOEXEC);
  if (descriptor_ < 0) {
    temporary_.clear();
    throw_errno(shown_, "cannot be written");
  }
  // mkostemp() lets only the owner in: the file gets the permissions of the one that it replaces.
  struct stat before {};
  const mode_t mode = stat(path_.c_str(), &before) == 0 ? before.st_mode & 07777 : usual_mode();
  if (fchmod(descriptor_, mode) != 0) {
    const int error = errno;
    // This runs in the constructor: no destructor removes the file if it throws.
    close(descriptor_);
    unlink(temporary_.c_str());
    errno = error;
    throw_errno(shown_, "cannot be given its permissions");
  }
}

void OutputFile::write(std::string_view text) {
  end_if_interrupted();
  buffer_ += text;
  if (buffer_.size() >= kBuffer) flush();
}

void OutputFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EPIPE) throw OutputEnded(SIGPIPE);
    if (written < 0 && errno != EINTR) throw_errno(shown_, "cannot be written");
    end_if_interrupted();
    if (written < 0) continue;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void OutputFile::finish() {
  flush();
  if (temporary_.empty()) return;
  // The content goes to the disk before the file gets its name, so that after a power failure there
  // is either the old file or the new one.
  if (fsync(descriptor_) != 0) throw_errno(shown_, "cannot be written");
  if (rename(temporary_.c_str(), path_.c_str()) != 0) throw_errno(shown_, "cannot be replaced");
  temporary_.clear();
  close(descriptor_);
}

int with_output(const std::function<int()>& work) {
  const InterruptGuard guard;
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return work();
  } catch (const OutputEnded& end) {
    return 128 + end.signal();
  }
}

}  // namespace assay

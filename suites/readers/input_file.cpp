#include "suites/readers/input_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "profiler/support/error.h"

namespace assay {
namespace {

/// Whether this is a character device that is not a terminal. Most such devices (/dev/zero) never
/// end, or do not give text.
bool is_device_other_than_terminal(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 && S_ISCHR(status.st_mode) && isatty(descriptor) == 0;
}

}  // namespace

InputFile InputFile::open(const std::string& path) {
  if (path == "-") return {STDIN_FILENO, "standard input"};
  // O_NONBLOCK: opening a named pipe must not wait until somebody opens its other end.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (descriptor < 0) throw InputError(describe_file_errno("cannot open " + path, errno));
  InputFile file(descriptor, path);
  if (is_device_other_than_terminal(descriptor)) {
    throw InputError(path + " is a character device: give a file, a pipe or a terminal");
  }
  return file;
}

InputFile::InputFile(InputFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), name_(std::move(other.name_)) {}

InputFile::~InputFile() {
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

std::size_t InputFile::read(std::span<char> target) {
  for (;;) {
    // Without waiting first, a named pipe that has no writer yet would seem to be at its end.
    wait();
    const ssize_t count = ::read(descriptor_, target.data(), target.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR && errno != EAGAIN)
      throw InputError(describe_errno("cannot read " + name_, errno));
  }
}

void InputFile::wait() const {
  pollfd file{descriptor_, POLLIN, 0};
  while (poll(&file, 1, -1) < 0 && errno == EINTR) {
  }
}

bool InputFile::has_something() const {
  pollfd file{descriptor_, POLLIN, 0};
  return poll(&file, 1, 0) > 0;  // a signal may interrupt even this
}

}  // namespace assay

#include "suites/readers/input_file.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "profiler/block/error.h"

namespace assay {

InputFile InputFile::open(const std::string& path) {
  if (path == "-") return {STDIN_FILENO, "standard input"};
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) throw InputError(describe_errno("cannot open " + path, errno));
  return {descriptor, path};
}

InputFile::InputFile(InputFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), name_(std::move(other.name_)) {}

InputFile::~InputFile() {
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

std::size_t InputFile::read(std::span<char> target) {
  for (;;) {
    const ssize_t count = ::read(descriptor_, target.data(), target.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) throw InputError(describe_errno("cannot read " + name_, errno));
  }
}

bool InputFile::has_something() const {
  pollfd file{descriptor_, POLLIN, 0};
  return poll(&file, 1, 0) != 0;
}

}  // namespace assay

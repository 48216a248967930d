#include "profiler/support/error.h"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace assay {

std::string describe_errno(const std::string& what, int error_number) {
  // strerrordesc_np and strerrorname_np of glibc are thread-safe, and the same in every locale.
  const char* const description = strerrordesc_np(error_number);
  const char* const name = strerrorname_np(error_number);
  if (description == nullptr || name == nullptr) {
    return fmt::format("{}: unknown error {}", what, error_number);
  }
  return fmt::format("{}: {} ({})", what, description, name);
}

std::string advice_on_files(int error_number) {
  switch (error_number) {
    case EMFILE:
      return "; raise the limit on open files (ulimit -n)";
    case ENFILE:
      return "; the system has no room for more open files: end other programs, or raise "
             "fs.file-max";
    case EFBIG:
      return "; raise the limit on the size of files (ulimit -f)";
    default:
      return "";
  }
}

std::string describe_file_errno(const std::string& what, int error_number) {
  return describe_errno(what, error_number) + advice_on_files(error_number);
}

std::string advice_on_processes(int error_number) {
  switch (error_number) {
    case EAGAIN:
      return "; is the limit on processes (ulimit -u, or pids.max of a container) reached?";
    case ENOMEM:
      return "; is there memory left?";
    default:
      return "";
  }
}

EnvironmentError no_thread(const std::system_error& error) {
  const int number = error.code().value();
  return EnvironmentError(describe_errno("cannot start a thread", number) +
                          advice_on_processes(number));
}

}  // namespace assay

#include "profiler/support/pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "profiler/support/error.h"

namespace assay {

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    const int error = errno;
    throw EnvironmentError(describe_errno("cannot make a pipe", error) + advice_on_files(error));
  }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

}  // namespace assay

#include "profiler/support/pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "profiler/support/error.h"

namespace assay {

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    throw EnvironmentError(describe_file_errno("cannot make a pipe", errno));
  }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

}  // namespace assay

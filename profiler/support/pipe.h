#pragma once

#include "profiler/support/descriptor.h"

namespace assay {

/// The two ends of a pipe.
struct Pipe {
  Descriptor to_read;
  Descriptor to_write;
};

/// Makes a pipe of which both ends are closed on exec. Throws EnvironmentError.
Pipe make_pipe();

}  // namespace assay

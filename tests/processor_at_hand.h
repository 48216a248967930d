#pragma once

#include <sched.h>

namespace assay {

/// The processor that the test runs on. A test that measured on any other, such as the last, would
/// wait there for the other tests that run at the same time.
inline int processor_at_hand() { return sched_getcpu(); }

}  // namespace assay

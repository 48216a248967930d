#pragma once

#include <cstddef>
#include <span>

#include "profiler/support/descriptor.h"

namespace assay::subject {

/// Two ends of a connection over which descriptors are passed from a process to its child
/// (SCM_RIGHTS, unix(7)), both closed on exec.
struct DescriptorChannel {
  Descriptor parent;
  Descriptor child;
};

/// Throws EnvironmentError when the system gives none.
DescriptorChannel descriptor_channel();

// Both may be called between fork and exec. Both return false with errno set if they fail, EPIPE if
// the other side is gone.

/// A message of one byte with at most kMaxCounterPages descriptors, maybe none.
bool send_descriptors(int channel, std::span<const int> descriptors);
/// Waits for such a message. The descriptors close on exec; `count` is how many there are of them,
/// at the beginning of `descriptors`, which has room for kMaxCounterPages.
bool receive_descriptors(int channel, std::span<int> descriptors, std::size_t& count);

}  // namespace assay::subject

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

/// Makes such a connection. Throws EnvironmentError if the system gives none.
DescriptorChannel descriptor_channel();

// Both functions may be called between fork and exec. They return false with errno set if they
// fail, with EPIPE if the other side is gone.

/// Sends a message of one byte with at most kMaxCounterPages descriptors, possibly none.
bool send_descriptors(int channel, std::span<const int> descriptors);
/// Waits for such a message. The descriptors that it brings are closed on exec; they are the first
/// `count` of `descriptors`, which must have room for kMaxCounterPages.
bool receive_descriptors(int channel, std::span<int> descriptors, std::size_t& count);

}  // namespace assay::subject

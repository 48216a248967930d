#include "profiler/subject/descriptor_passing.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "profiler/subject/layout.h"
#include "profiler/support/error.h"

namespace assay::subject {
namespace {

constexpr std::size_t kMost = kMaxCounterPages;
static_assert(kMost <= 253, "SCM_MAX_FD, the kernel's limit for one message");

/// A message of one byte with room for descriptors. It must not be copied, since it points into
/// itself.
struct Message {
  Message() {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
  }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(kMost * sizeof(int))] = {};
  msghdr header{};
};

}  // namespace

DescriptorChannel descriptor_channel() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw EnvironmentError(describe_errno("cannot make a pair of sockets (socketpair)", errno));
  }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

bool send_descriptors(int channel, std::span<const int> descriptors) {
  Message message;
  message.header.msg_controllen =
      descriptors.empty() ? 0 : CMSG_SPACE(descriptors.size() * sizeof(int));
  if (cmsghdr* const rights = CMSG_FIRSTHDR(&message.header)) {
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
    std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size() * sizeof(int));
  }
  return sendmsg(channel, &message.header, MSG_NOSIGNAL) == 1;
}

bool receive_descriptors(int channel, std::span<int> descriptors, std::size_t& count) {
  Message message;
  count = 0;
  ssize_t received = 0;
  do {
    received = recvmsg(channel, &message.header, MSG_CMSG_CLOEXEC);
  } while (received < 0 && errno == EINTR);
  if (received == 0) errno = EPIPE;
  if (received <= 0) return false;
  if (message.header.msg_flags & MSG_CTRUNC) {  // this process may not open more descriptors
    errno = EMFILE;
    return false;
  }
  if (const cmsghdr* const rights = CMSG_FIRSTHDR(&message.header)) {
    count = (rights->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    std::memcpy(descriptors.data(), CMSG_DATA(rights), count * sizeof(int));
  }
  return true;
}

}  // namespace assay::subject

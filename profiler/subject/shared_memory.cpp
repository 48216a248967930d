#include "profiler/subject/shared_memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <string>

#include "profiler/support/error.h"

namespace assay::subject {
namespace {

void* map_shared(const Descriptor& file, std::uint64_t size) {
  void* const mapping =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file.get(), 0);
  if (mapping == MAP_FAILED) {
    throw EnvironmentError(describe_errno("cannot map the memory shared with the subject", errno));
  }
  return mapping;
}

std::string advice_on_memfd(int error) {
  switch (error) {
    case EMFILE:
    case ENFILE:
      return advice_on_files(error);
    case EACCES:
      return "; vm.memfd_noexec=2 forbids files that may be executed: set it to 1 or 0 (sysctl)";
    case ENOMEM:
      return "; is there memory left?";
    default:
      return "; a container's seccomp profile may forbid it: allow memfd_create";
  }
}

std::string advice_on_size(int error) {
  return error == EFBIG ? advice_on_files(error) : "; is there memory left for shared pages?";
}

}  // namespace

Descriptor anonymous_file(const char* name, std::uint64_t size) {
  // The right to execute is asked for explicitly, because vm.memfd_noexec=1 takes it away
  // otherwise. Kernels before 6.3 do not know the flag, and do not take that right away.
  constexpr unsigned kExecutable = 0x10;  // MFD_EXEC
  Descriptor file(memfd_create(name, MFD_CLOEXEC | kExecutable));
  if (file.get() < 0 && errno == EINVAL) file = Descriptor(memfd_create(name, MFD_CLOEXEC));
  if (file.get() < 0) {
    const int error = errno;
    throw EnvironmentError(describe_errno("cannot make an anonymous file (memfd_create)", error) +
                           advice_on_memfd(error));
  }
  if (ftruncate(file.get(), static_cast<off_t>(size)) != 0) {
    const int error = errno;
    throw EnvironmentError(describe_errno("cannot size an anonymous file (ftruncate)", error) +
                           advice_on_size(error));
  }
  return file;
}

SharedMemory::SharedMemory()
    : arena_(anonymous_file("assay-arena", kArenaSize)),
      frame_(anonymous_file("assay-frame", kFrameSize)) {
  mapping_ = map_shared(arena_, kArenaSize);
  frames_ = map_shared(frame_, kFrameSize);
}

SharedMemory::~SharedMemory() {
  munmap(mapping_, kArenaSize);
  munmap(frames_, kFrameSize);
}

}  // namespace assay::subject

#include "profiler/counters/perf_system.h"

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace assay {
namespace {

class LinuxPerf : public PerfSystem {
 public:
  int open(const perf_event_attr& attributes, pid_t process, int group) override {
    constexpr int kAnyProcessor = -1;
    return static_cast<int>(syscall(SYS_perf_event_open, &attributes, process, kAnyProcessor, group,
                                    PERF_FLAG_FD_CLOEXEC));
  }
  int control(int descriptor, unsigned long request, std::uintptr_t argument) override {
    return ioctl(descriptor, request, argument);
  }
  ssize_t read(int descriptor, std::span<std::byte> buffer) override {
    return ::read(descriptor, buffer.data(), buffer.size());
  }
  std::optional<perf_event_mmap_page> page_of(int descriptor) override {
    const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* const mapping = mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
    if (mapping == MAP_FAILED) return std::nullopt;
    const perf_event_mmap_page page = *static_cast<const perf_event_mmap_page*>(mapping);
    munmap(mapping, size);
    return page;
  }
};

}  // namespace

PerfSystem& linux_perf() {
  static LinuxPerf system;
  return system;
}

}  // namespace assay

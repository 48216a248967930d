#include "profiler/counters/perf_system.h"

#include <sys/ioctl.h>
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
};

}  // namespace

PerfSystem& linux_perf() {
  static LinuxPerf system;
  return system;
}

}  // namespace assay

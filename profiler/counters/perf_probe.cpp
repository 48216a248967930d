#include "profiler/counters/perf_probe.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <fstream>

#include "profiler/block/error.h"

namespace assay {
namespace {

std::string paranoid_level() {
  std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
  std::string level;
  return file >> level ? level : "unknown";
}

}  // namespace

PerfProbe explain_perf_error(int error) {
  switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return {false,
              describe_errno("the machine shows no cycle counter, as a VM without a virtual PMU",
                             error),
              "use a VM type with performance counters, or bare metal"};
    case EACCES:
    case EPERM:
      return {false,
              describe_errno("the kernel does not let this user count (perf_event_paranoid is " +
                                 paranoid_level() + ", or a container's seccomp profile says so)",
                             error),
              "as root: sysctl kernel.perf_event_paranoid=1, or give assay CAP_PERFMON; in a "
              "container: --cap-add PERFMON and a seccomp profile that permits perf_event_open"};
    case ENOSYS:
      return {false, describe_errno("the kernel was built without performance events", error),
              "use a kernel with CONFIG_PERF_EVENTS"};
    case EBUSY:
      return {false, describe_errno("somebody else holds the counters", error),
              "end other profilers; as root: sysctl kernel.nmi_watchdog=0"};
    default:
      return {false, describe_errno("perf_event_open failed", error), ""};
  }
}

PerfProbe probe_perf() {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_CPU_CYCLES;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  const long descriptor = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
  if (descriptor < 0) return explain_perf_error(errno);
  std::uint64_t cycles = 0;
  const auto got = read(static_cast<int>(descriptor), &cycles, sizeof(cycles));
  close(static_cast<int>(descriptor));
  if (got != sizeof(cycles) || cycles == 0) {
    return {false, "the cycle counter opens but stands still", "use bare metal"};
  }
  return {true, "", ""};
}

}  // namespace assay

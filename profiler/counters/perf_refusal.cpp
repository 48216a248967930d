#include "profiler/counters/perf_refusal.h"

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include <fmt/format.h>

#include "profiler/counters/event_text.h"
#include "profiler/counters/kernel_file.h"
#include "profiler/support/error.h"
#include "profiler/support/number.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

bool is_virtual_machine(const fs::path& root) {
  const std::string flags = value_in(root / "proc/cpuinfo", "flags");
  return (" " + flags + " ").find(" hypervisor ") != std::string::npos;
}

/// Whether a filter may answer system calls in place of the kernel, as in most containers.
bool filters_system_calls(const fs::path& root) {
  return value_in(root / "proc/self/status", "Seccomp") == "2";
}

bool has_capability(const fs::path& root) {
  constexpr std::uint64_t kCapSysAdmin = 1ULL << 21;
  constexpr std::uint64_t kCapPerfmon = 1ULL << 38;  // Linux 5.8
  const auto held = parse_hexadecimal(value_in(root / "proc/self/status", "CapEff"));
  return held && (*held & (kCapSysAdmin | kCapPerfmon)) != 0;
}

/// The highest levels of kernel.perf_event_paranoid at which all users may count their own
/// processes, in user mode and in the kernel. Distributions have levels above the kernel's own, at
/// which no user may.
constexpr int kUserLevel = 2;
constexpr int kKernelLevel = 1;

Availability explain_absence(int error, const fs::path& root) {
  if (is_virtual_machine(root)) {
    return {false,
            describe_errno("the CPU's counters are not there: this VM has no virtual PMU", error),
            "use a VM type with performance counters, or bare metal; on a host of your own, switch "
            "the guest's virtual PMU on (QEMU: -cpu host,pmu=on)"};
  }
  return {false, describe_errno("the kernel does not find the CPU's counters", error),
          "boot without nopmu and the like; update the kernel if the CPU is newer than it"};
}

Availability explain_denial(int error, bool in_kernel, const fs::path& root) {
  const std::string paranoid = first_line_of(root / "proc/sys/kernel/perf_event_paranoid");
  const int most = in_kernel ? kKernelLevel : kUserLevel;
  if (!has_capability(root) && !paranoid.empty() && std::atoi(paranoid.c_str()) > most) {
    return {false,
            describe_errno(fmt::format("the kernel does not let this user count{}: "
                                       "kernel.perf_event_paranoid is {}",
                                       in_kernel ? " what happens in the kernel" : "", paranoid),
                           error),
            fmt::format("as root: sysctl kernel.perf_event_paranoid={}; or give assay the right: "
                        "setcap cap_perfmon+ep on the program; in a container: --cap-add PERFMON",
                        most)};
  }
  if (filters_system_calls(root)) {
    return {false,
            describe_errno("a filter of system calls (seccomp), as containers have, forbids "
                           "perf_event_open",
                           error),
            "run the container with --cap-add PERFMON, or with a seccomp profile that permits "
            "perf_event_open"};
  }
  const std::string lockdown = first_line_of(root / "sys/kernel/security/lockdown");
  if (lockdown.find("[confidentiality]") != std::string::npos) {
    return {false, describe_errno("the kernel is locked down to keep its data confidential", error),
            "boot without lockdown=confidentiality"};
  }
  return {false, describe_errno("a security policy of this system forbids counting", error),
          "allow perf_event_open in the policy (SELinux: the class perf_event)"};
}

Availability explain_lack(int error, const fs::path& root) {
  if (filters_system_calls(root)) return explain_denial(error, false, root);
  return {false, describe_errno("the kernel was built without performance events", error),
          "use a kernel with CONFIG_PERF_EVENTS"};
}

}  // namespace

Availability explain_perf_refusal(int error, bool in_kernel, const fs::path& root) {
  switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return explain_absence(error, root);
    case EACCES:
    case EPERM:
      return explain_denial(error, in_kernel, root);
    case ENOSYS:
      return explain_lack(error, root);
    case EBUSY:
      return {false, describe_errno("somebody else has the counters for himself", error),
              "end other profilers"};
    case EMFILE:
    case ENFILE:
      return {false, describe_errno("there are no descriptors left for counters", error),
              "raise the limit (ulimit -n), or count fewer events"};
    default:
      return {false, describe_errno("the kernel does not open the counter", error), ""};
  }
}

Availability counters_outlast_exec() {
  if (geteuid() == getuid() && getegid() == getgid()) return {true, "", ""};
  return {false,
          "assay runs as another user or group than who started it (set-user-ID or set-group-ID): "
          "the kernel ends counters when such a process executes a program",
          "take the bit from the program (chmod ug-s) and give it the right to count instead: "
          "setcap cap_perfmon+ep"};
}

Availability explain_held_counters(const fs::path& root) {
  const bool watchdog = first_line_of(root / "proc/sys/kernel/nmi_watchdog") == "1";
  return {false,
          fmt::format("counters open but are not given to this process: somebody else holds them{}",
                      watchdog ? ", one of them the kernel's NMI watchdog" : ""),
          watchdog ? "as root: sysctl kernel.nmi_watchdog=0; end other profilers"
                   : "end other profilers, those of other users and of the system too"};
}

}  // namespace assay

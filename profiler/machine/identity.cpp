#include "profiler/machine/identity.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>

#include "profiler/machine/cpuid.h"

namespace assay {
namespace {

/// The first line of one of the kernel's files; `otherwise` if it cannot be read or is empty.
std::string first_line_or(const std::filesystem::path& path, const std::string& otherwise) {
  std::ifstream file(path);
  std::string line;
  return std::getline(file, line) && !line.empty() ? line : otherwise;
}

/// The value of the first line "microcode : 0x..." in the file. All cores of a machine have the
/// same revision, since the kernel loads it into each of them.
std::string microcode_in(const std::filesystem::path& cpuinfo) {
  std::ifstream file(cpuinfo);
  for (std::string line; std::getline(file, line);) {
    const std::size_t value = line.find(": ");
    if (line.starts_with("microcode") && value != std::string::npos) return line.substr(value + 2);
  }
  return "unknown";
}

std::string kernel_release() {
  utsname names{};
  if (uname(&names) != 0) return "unknown";
  return std::string(names.sysname) + " " + names.release;
}

}  // namespace

Machine identify_machine() { return machine_from(hardware_cpuid); }

Environment identify_environment(int cpu, const std::filesystem::path& root) {
  const std::filesystem::path cpus = root / "sys/devices/system/cpu";
  Environment environment;
  environment.kernel = kernel_release();
  environment.microcode = microcode_in(root / "proc/cpuinfo");
  environment.hypervisor = hypervisor_from(hardware_cpuid);
  environment.governor =
      first_line_or(cpus / ("cpu" + std::to_string(cpu)) / "cpufreq/scaling_governor", "none");
  environment.smt = first_line_or(cpus / "smt/control", "unknown");
  environment.cores = sysconf(_SC_NPROCESSORS_ONLN);
  environment.walls = "unknown";
  return environment;
}

}  // namespace assay

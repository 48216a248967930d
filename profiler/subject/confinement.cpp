#include "profiler/subject/confinement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <string>

namespace assay::subject {
namespace {

/// The fields of /proc/PID/status (proc_pid_status(5)), by name.
std::map<std::string, std::string> status_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/status", process));
  std::map<std::string, std::string> fields;
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(":\t");
    if (colon != std::string::npos) fields[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return fields;
}

bool has_mapping(pid_t process, const std::string& name) {
  std::ifstream file(fmt::format("/proc/{}/maps", process));
  bool readable = false;
  for (std::string line; std::getline(file, line); readable = true) {
    if (line.ends_with(name)) return true;
  }
  return !readable;
}

}  // namespace

Confinement confinement_of(pid_t process) {
  std::map<std::string, std::string> status = status_of(process);
  constexpr std::array kCapabilities = {"CapInh", "CapPrm", "CapEff", "CapAmb"};
  const auto none = [&](const char* name) {
    const std::string& set = status[name];
    return !set.empty() && set.find_first_not_of('0') == std::string::npos;
  };
  const std::string& bypass = status["Speculation_Store_Bypass"];
  return {.filters_system_calls = status["Seccomp"] == "2",
          .no_new_privileges = status["NoNewPrivs"] == "1",
          .no_capabilities = std::ranges::all_of(kCapabilities, none),
          .no_vdso = !has_mapping(process, "[vdso]"),
          .store_bypass_allowed = bypass == "thread vulnerable" || bypass == "not vulnerable" ||
                                  bypass == "vulnerable"};
}

}  // namespace assay::subject

#include "profiler/subject/confinement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "profiler/subject/subject.h"

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

constexpr std::array kWalls = {
    Wall{"system_call_filter", &Confinement::filters_system_calls, "system-call filter"},
    Wall{"no_new_privileges", &Confinement::no_new_privileges, "no new privileges"},
    Wall{"no_capabilities", &Confinement::no_capabilities, "no capabilities"},
    Wall{"no_vdso", &Confinement::no_vdso, "no vDSO"}};

}  // namespace

std::span<const Wall> all_walls() { return kWalls; }

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

Confinement confinement_of_subjects() {
  const Subject subject;
  return confinement_of(subject.pid());
}

bool all_walls_in_force(const Confinement& confinement) {
  return std::ranges::all_of(kWalls, [&](const Wall& wall) { return confinement.*wall.holds; });
}

std::string walls_text(const Confinement& confinement, bool in_force) {
  std::vector<std::string_view> walls;
  for (const Wall& wall : kWalls) {
    if (confinement.*wall.holds == in_force) walls.push_back(wall.text);
  }
  return walls.empty() ? "none" : fmt::format("{}", fmt::join(walls, ", "));
}

}  // namespace assay::subject

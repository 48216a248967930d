#include "tests/fuzz/host_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace assay::fuzz {
namespace {

namespace fs = std::filesystem;

std::map<int, std::string> open_descriptors() {
  std::map<int, std::string> descriptors;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;  // set for the descriptor that reads this folder, which is closed again
    const fs::path target = fs::read_symlink(entry.path(), gone);
    if (gone || target.string().ends_with("/fd")) continue;
    descriptors[std::stoi(entry.path().filename())] = target;
  }
  return descriptors;
}

std::set<std::string> files_around() {
  std::set<std::string> files;
  for (const fs::path& folder : {fs::current_path(), fs::temp_directory_path()}) {
    for (const auto& entry : fs::directory_iterator(folder)) files.insert(entry.path());
  }
  return files;
}

/// The lines of /proc/self/status on signals, without SigQ, which also counts signals of the user's
/// other processes.
std::string signal_lines() {
  std::ifstream status("/proc/self/status");
  std::string lines;
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("SigQ")) continue;
    if (line.starts_with("Sig") || line.starts_with("Shd")) lines += line + "; ";
  }
  return lines;
}

/// The parent of a process: the fourth field of /proc/PID/stat. The name in parentheses before it
/// may hold any characters.
pid_t parent_of(const fs::path& process) {
  std::ifstream file(process / "stat");
  std::string stat;
  std::getline(file, stat, '\0');  // fails without an exception if the process has ended meanwhile
  const std::size_t end = stat.rfind(") ");
  if (end == std::string::npos || stat.size() < end + 5) return 0;
  return std::stoi(stat.substr(end + 4));
}

std::vector<std::string> sorted_targets(const std::map<int, std::string>& descriptors) {
  std::vector<std::string> targets;
  for (const auto& [number, target] : descriptors) {
    // In "pipe:[1234]" and "/proc/1234/maps", the number of the instance is left out;
    // "/memfd:name (deleted)" has none.
    std::string name = target.substr(0, target.find('['));
    if (name.starts_with("/proc/"))
      std::erase_if(name, [](char c) { return c >= '0' && c <= '9'; });
    targets.push_back(std::move(name));
  }
  std::ranges::sort(targets);
  return targets;
}

}  // namespace

std::vector<pid_t> children() {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string number = entry.path().filename();
    if (!std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; })) continue;
    if (parent_of(entry.path()) == getpid()) found.push_back(std::stoi(number));
  }
  return found;
}

std::size_t mappings(pid_t process) {
  std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
  return static_cast<std::size_t>(
      std::count(std::istreambuf_iterator<char>(maps), std::istreambuf_iterator<char>(), '\n'));
}

HostState host_state() {
  return {open_descriptors(), files_around(), children().size(), signal_lines()};
}

std::string difference(const HostState& before, const HostState& after) {
  const auto old_targets = sorted_targets(before.descriptors);
  const auto new_targets = sorted_targets(after.descriptors);
  if (old_targets != new_targets) {
    return fmt::format("open descriptors were {} and are {}", old_targets, new_targets);
  }
  if (before.files != after.files) {
    std::vector<std::string> changed;
    std::ranges::set_symmetric_difference(before.files, after.files, std::back_inserter(changed));
    return fmt::format("files appeared or went: {}", changed);
  }
  if (before.children != after.children) {
    return fmt::format("children were {} and are {}", before.children, after.children);
  }
  if (before.signals != after.signals) {
    return fmt::format("signals were {} and are {}", before.signals, after.signals);
  }
  return "";
}

}  // namespace assay::fuzz

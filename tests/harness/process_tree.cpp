#include "tests/harness/process_tree.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace assay {
namespace {

/// The name of a program by the path of its file; the path of a file in memory is "/memfd:NAME
/// (deleted)".
std::string name_of(const std::filesystem::path& program) {
  constexpr std::string_view kInMemory = "memfd:";
  std::string name = program.filename();
  if (name.starts_with(kInMemory)) name = name.substr(kInMemory.size());
  return name.substr(0, name.find(' '));
}

}  // namespace

std::vector<RunningProcess> processes_in(const std::filesystem::path& folder) {
  std::vector<RunningProcess> processes;
  std::error_code gone;  // any process may end while it is looked at
  for (const auto& entry : std::filesystem::directory_iterator("/proc", gone)) {
    const std::string number = entry.path().filename();
    if (!std::ranges::all_of(number, [](unsigned char c) { return std::isdigit(c) != 0; }))
      continue;
    if (std::filesystem::read_symlink(entry.path() / "cwd", gone) != folder) continue;
    // The name does not come from the command line, since a subject unmaps its own.
    const auto program = std::filesystem::read_symlink(entry.path() / "exe", gone);
    processes.push_back({std::stoi(number), name_of(program)});
  }
  return processes;
}

}  // namespace assay

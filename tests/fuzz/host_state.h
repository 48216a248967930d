#pragma once

#include <sys/types.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace assay::fuzz {

/// What a block that got out of its subject could have changed of this process and around it.
struct HostState {
  std::map<int, std::string> descriptors;  ///< number to what it is open on
  std::set<std::string> files;             ///< in the current and the temporary folder
  std::size_t children = 0;
  std::string signals;  ///< pending, blocked, ignored and caught, as /proc has them
};

/// Reads it from /proc.
HostState host_state();

/// In words, how the second differs from the first; empty if it does not. Descriptors count by
/// what they are open on: a subject that was replaced has others of the same kind.
std::string difference(const HostState& before, const HostState& after);

/// Children of this process.
std::vector<pid_t> children();

/// Mapped ranges of a process.
std::size_t mappings(pid_t process);

}  // namespace assay::fuzz

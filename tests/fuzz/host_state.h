#pragma once

#include <sys/types.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace assay::fuzz {

/// What a block that escaped from its subject could have changed in this process and around it.
struct HostState {
  std::map<int, std::string> descriptors;  ///< what each descriptor is open on, by its number
  std::set<std::string> files;             ///< in the current and the temporary folder
  std::size_t children = 0;
  std::string signals;  ///< pending, blocked, ignored and caught, as /proc has them
};

/// Reads the present state from /proc.
HostState host_state();

/// How the second state differs from the first, in words; empty if it does not. Descriptors are
/// compared by what they are open on, since a subject that was replaced has other descriptors of
/// the same kind.
std::string difference(const HostState& before, const HostState& after);

/// The children of this process.
std::vector<pid_t> children();

/// The number of mapped ranges of a process.
std::size_t mappings(pid_t process);

}  // namespace assay::fuzz

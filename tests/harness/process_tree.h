#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace assay {

struct RunningProcess {
  pid_t pid;
  std::string name;  ///< of the file that it executes: "assay"; "assay-subject", which is in memory
};

/// The processes whose current folder this is: what was started there, with all that it started,
/// whoever is their parent now. Without those that have ended and are not waited for.
std::vector<RunningProcess> processes_in(const std::filesystem::path& folder);

}  // namespace assay

#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace assay {

struct RunningProcess {
  pid_t pid;
  std::string name;  ///< name of the file that it executes: "assay", or "assay-subject" in memory
};

/// The processes whose current folder this is: those that were started there, and all that they
/// have started, whoever is their parent now. Zombies are left out.
std::vector<RunningProcess> processes_in(const std::filesystem::path& folder);

}  // namespace assay

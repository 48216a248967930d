#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/temporary_folder.h"

namespace assay {

/// What is known of a process that has ended.
struct Finished {
  int status = -1;  ///< exit status; 128 plus the signal's number if one ended it
  std::string out;
  std::string err;
};

/// A running `assay ARGUMENTS...` whose output goes to files.
class AssayProcess {
 public:
  /// `in_child` runs in the new process before the program: to take rights away, for instance.
  explicit AssayProcess(const std::vector<std::string>& arguments, const std::string& input = "",
                        const std::function<void()>& in_child = {});
  ~AssayProcess();
  AssayProcess(const AssayProcess&) = delete;
  AssayProcess& operator=(const AssayProcess&) = delete;

  pid_t pid() const { return pid_; }
  Finished wait();

 private:
  TemporaryFolder folder_;
  pid_t pid_ = -1;
};

/// Runs `assay ARGUMENTS...` to its end.
Finished run_assay(const std::vector<std::string>& arguments, const std::string& input = "");

/// The lines of what a program wrote, without their line feeds.
std::vector<std::string> lines_of(const std::string& output);

}  // namespace assay

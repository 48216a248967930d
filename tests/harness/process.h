#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace assay {

/// What a finished process left.
struct Finished {
  int status = -1;  ///< exit status; 128 plus the signal's number if one ended it
  std::string out;
  std::string err;
};

/// A started `assay ARGUMENTS...` with its output in files.
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
  std::filesystem::path folder_;
  pid_t pid_ = -1;
};

/// Runs it to its end.
Finished run_assay(const std::vector<std::string>& arguments, const std::string& input = "");

/// A folder of its own for a test, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& name) const { return folder_ / name; }
  std::string write(const std::string& name, const std::string& content) const;

 private:
  std::filesystem::path folder_;
};

std::string read_text(const std::string& path);

}  // namespace assay

#pragma once

#include <sys/wait.h>

namespace assay::subject {

/// What waitpid() reported of the subject.
class WaitStatus {
 public:
  explicit WaitStatus(int status) : status_(status) {}

  bool stopped() const { return WIFSTOPPED(status_); }
  bool exited() const { return WIFEXITED(status_); }
  bool killed() const { return WIFSIGNALED(status_); }
  int stop_signal() const { return WSTOPSIG(status_); }
  int exit_code() const { return WEXITSTATUS(status_); }
  int killing_signal() const { return WTERMSIG(status_); }

 private:
  int status_;
};

}  // namespace assay::subject

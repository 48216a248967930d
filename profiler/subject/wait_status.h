#pragma once

#include <sys/wait.h>

namespace assay::subject {

/// What waitpid() reported about the subject.
class WaitStatus {
 public:
  explicit WaitStatus(int status) : status_(status) {}

  bool stopped() const { return WIFSTOPPED(status_); }
  int stop_signal() const { return WSTOPSIG(status_); }
  bool killed() const { return WIFSIGNALED(status_) && WTERMSIG(status_) == SIGKILL; }

 private:
  int status_;
};

}  // namespace assay::subject

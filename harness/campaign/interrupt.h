#pragma once

#include <csignal>

namespace assay {

/// While it lives, Ctrl-C (SIGINT), SIGTERM and SIGHUP are noted instead of ending the program, so
/// that a campaign can finish its block, commit, and say how to go on. A second one ends the
/// program at once; a signal that was ignored stays so (nohup). The store's last commit is at most
/// a second old then.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// The signal that was noted; 0 if none.
  static int signal();

 private:
  struct sigaction before_[3];
};

}  // namespace assay

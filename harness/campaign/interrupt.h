#pragma once

#include <csignal>

namespace assay {

/// While an object of this class lives, Ctrl-C (SIGINT), SIGTERM and SIGHUP are noted instead of
/// ending the program, so that a campaign can commit, and say how to go on. A second signal of the
/// same kind ends the program at once; the store's last commit is at most a second old then. A
/// signal that was ignored before stays ignored (nohup).
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// The signal that was noted; 0 if there was none.
  static int signal();

 private:
  struct sigaction before_[3];
};

}  // namespace assay

#pragma once

#include <ctime>

#include <chrono>

namespace assay::subject {

/// Interrupts the blocking system call of the thread that made it (waitpid returns EINTR) when an
/// armed time has passed, and again every few milliseconds until disarmed, so that a call entered
/// a moment too late is interrupted too. Uses the signal SIGRTMIN + 4 with a handler that does
/// nothing. Throws EnvironmentError when the system gives no timer.
class Deadline {
 public:
  Deadline();
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  /// `after` > 0, in wall-clock time.
  void arm(std::chrono::nanoseconds after);
  void disarm();

 private:
  timer_t timer_{};
};

}  // namespace assay::subject

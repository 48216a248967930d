#pragma once

#include <ctime>

#include <chrono>

namespace assay::subject {

/// Interrupts a blocking system call of the thread that made the object (waitpid returns EINTR)
/// when an armed time has passed, and again every few milliseconds until disarmed, so that a call
/// that was entered a moment too late is interrupted too. Uses the signal SIGRTMIN + 4 with a
/// handler that does nothing. Throws EnvironmentError if the system gives no timer.
class Deadline {
 public:
  Deadline();
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  /// `after` is in wall-clock time, and above 0.
  void arm(std::chrono::nanoseconds after);
  void disarm();

 private:
  timer_t timer_{};
};

}  // namespace assay::subject

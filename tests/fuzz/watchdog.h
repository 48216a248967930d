#pragma once

#include <chrono>
#include <string_view>

namespace assay::fuzz {

/// Ends this process (abort) if what it watches takes too long, after printing what that is: a hang
/// leaves its input behind. Uses SIGALRM and alarm(). One at a time.
class Watchdog {
 public:
  explicit Watchdog(std::chrono::seconds patience);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// From now on this, anew. The text must outlive the watch: until the next, or until rest().
  void watch(std::string_view what);
  void rest();

 private:
  std::chrono::seconds patience_;
};

}  // namespace assay::fuzz

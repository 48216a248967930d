#pragma once

#include <chrono>
#include <string_view>

namespace assay::fuzz {

/// Prints what it watches when that ends the process, by a fault, abort() or exit(), or takes too
/// long, upon which it aborts: no input is lost with what it did. Uses SIGALRM and alarm(), and the
/// signals of faults, whose former handlers come after it. One at a time.
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

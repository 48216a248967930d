#pragma once

#include <chrono>
#include <string_view>

namespace assay::fuzz {

/// Prints the text that it watches if the process ends meanwhile, by a fault, abort() or exit(), or
/// if it takes too long, in which case it aborts the process: thus no input that does such a thing
/// is lost. It uses SIGALRM and alarm(), and the signals of faults, whose former handlers run after
/// its own. Only one may exist at a time.
class Watchdog {
 public:
  explicit Watchdog(std::chrono::seconds patience);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Watches this text from now on, with the full time. The text must live until the next call of
  /// watch() or rest().
  void watch(std::string_view what);
  void rest();

 private:
  std::chrono::seconds patience_;
};

}  // namespace assay::fuzz

#pragma once

#include <chrono>
#include <string>

#include "harness/output/progress.h"
#include "profiler/protocol/visits.h"

namespace assay {

/// What a user is told while a block is visited again and again: "2 visits have not settled it
/// (interference: no series of runs was left undisturbed); trying on for 58 s".
std::string patience_text(const Visits& visits, std::chrono::nanoseconds left);

/// Tells on stderr what is being waited for: on a terminal by a line that is kept up to date and
/// disappears, elsewhere by one message if it takes long.
class PatienceNote {
 public:
  /// `patience` begins now.
  explicit PatienceNote(std::chrono::nanoseconds patience) : patience_(patience) {}

  /// To be called before each pause between two visits.
  void pause(const Visits& visits);
  /// To be called when the visits are over.
  void end() { line_.erase(); }

 private:
  std::chrono::nanoseconds patience_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  ProgressLine line_;
  bool told_ = false;
};

}  // namespace assay

#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "harness/campaign/campaign.h"

namespace assay {

/// The progress line's text: "1200 of 8871 lines  312 blocks/s  0:25 left  measured 1180 ...", or,
/// while a block waits, "1200 of 8871 lines  waiting for a quiet core, 1.2 s  measured 1180 ...".
std::string progress_text(const CampaignProgress& progress);

/// Keeps one line on stderr up to date, a few times a second, and only if stderr is a terminal.
class ProgressLine {
 public:
  ProgressLine();
  /// Ends the line, so that further output starts on a new one.
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Shows the progress of a campaign, if is_due().
  void show(const CampaignProgress& progress);
  /// Shows any text, if is_due().
  void show(std::string_view text);
  /// Whether a text would be shown now; if not, the caller need not make one.
  bool is_due() const;
  /// Prints a message on a line of its own, above the progress line.
  void message(const std::string& text);

  /// Removes the line.
  void erase();
  bool terminal() const { return terminal_; }

 private:
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace assay

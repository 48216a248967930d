#include "harness/output/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "profiler/support/printable.h"

namespace assay {
namespace {

constexpr std::chrono::milliseconds kInterval{100};
/// Shorter waits for a quiet core are not shown, since the line would flicker.
constexpr std::chrono::milliseconds kLongWait{100};

std::string clock_text(double seconds) {
  const auto whole = std::llround(seconds);
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

std::string pace_text(const CampaignProgress& progress) {
  const double seconds = progress.elapsed.count();
  std::string text;
  if (seconds > 0) {
    text += fmt::format("  {:.0f} blocks/s", static_cast<double>(progress.fresh) / seconds);
    if (progress.workers > 1) text += fmt::format(" by {} workers", progress.workers);
  }
  if (progress.total_lines && progress.lines > 0) {
    const auto left = static_cast<double>(*progress.total_lines - progress.lines);
    text +=
        fmt::format("  {} left", clock_text(seconds * left / static_cast<double>(progress.lines)));
  }
  return text;
}

}  // namespace

std::string progress_text(const CampaignProgress& progress) {
  std::string text = std::to_string(progress.lines);
  if (progress.total_lines) text += fmt::format(" of {}", *progress.total_lines);
  text += " lines";
  if (progress.waiting >= kLongWait) {
    text += fmt::format("  waiting for {}, {:.1f} s",
                        progress.workers > 1 ? "quiet cores" : "a quiet core",
                        std::chrono::duration<double>(progress.waiting).count());
  } else if (progress.without_gain) {
    text += fmt::format("  {} not settled, without gain for {:.0f} s of {:.0f}", progress.unsettled,
                        std::chrono::duration<double>(*progress.without_gain).count(),
                        std::chrono::duration<double>(progress.patience).count());
  } else if (progress.rechecking.count() > 0) {
    text += fmt::format("  rechecked {}", progress.rechecked);
  } else {
    text += pace_text(progress);
  }
  text += fmt::format("  measured {}  rejected {}  failed {}", progress.measured, progress.rejected,
                      progress.failed);
  if (progress.unsettled > 0 && !progress.without_gain)
    text += fmt::format("  not settled {}", progress.unsettled);
  if (progress.known > 0) text += fmt::format("  known {}", progress.known);
  return text;
}

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (shown_) fmt::print(stderr, "\n");
}

bool ProgressLine::is_due() const { return terminal_ && std::chrono::steady_clock::now() >= next_; }

void ProgressLine::show(const CampaignProgress& progress) {
  if (is_due()) show(progress_text(progress));
}

void ProgressLine::show(std::string_view text) {
  if (!is_due()) return;
  next_ = std::chrono::steady_clock::now() + kInterval;
  // The text is cut to the terminal's width, since a line that wraps could not be overwritten.
  fmt::print(stderr, "\r\x1b[K{}", text.substr(0, terminal_width() - 1));
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::message(const std::string& text) {
  erase();
  fmt::print(stderr, "{}\n", printable(text));
}

void ProgressLine::erase() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
  shown_ = false;
}

}  // namespace assay

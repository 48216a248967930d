#include "harness/output/patience_note.h"

#include <fmt/format.h>

#include "profiler/support/counted.h"

namespace assay {

std::string patience_text(const Visits& visits, std::chrono::nanoseconds left) {
  const Outcome& outcome = visits.result().outcome;
  return fmt::format("{} not settled it ({}{}{}); trying on for {:.0f} s",
                     counted(visits.count(), "visit has", "visits have"), name(outcome.reason),
                     outcome.detail.empty() ? "" : ": ", outcome.detail,
                     std::chrono::duration<double>(left).count());
}

void PatienceNote::pause(const Visits& visits) {
  constexpr std::chrono::seconds kLong(1);
  const auto passed = std::chrono::steady_clock::now() - start_;
  const std::string text = patience_text(visits, patience_ - passed);
  if (line_.terminal()) {
    line_.show(std::string_view(text));
  } else if (!told_ && passed >= kLong) {
    line_.message("assay measure: " + text);
    told_ = true;
  }
}

}  // namespace assay

#include "harness/output/bad_line_report.h"

#include <fmt/format.h>

namespace assay {

void BadLineReport::add(const std::string& text) {
  constexpr int kTold = 20;
  if (++count_ <= kTold) tell_(fmt::format("{}: {}", command_, text));
  if (count_ == kTold) tell_(fmt::format("{}: further bad lines are only counted", command_));
}

}  // namespace assay

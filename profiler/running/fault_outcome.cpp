#include "profiler/running/fault_outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "profiler/block/text.h"

namespace assay {
namespace {

std::string describe(const Kernel::Location& location, const Block& block) {
  const auto found = std::ranges::find(block.instructions, location.offset, &Instruction::offset);
  std::string text;
  if (found != block.instructions.end()) text = fmt::format(" ({})", text_of(block, *found));
  return fmt::format("in copy {} at offset {}{}", location.copy + 1, location.offset, text);
}

}  // namespace

Outcome outcome_of(const subject::Fault& fault, const std::optional<Kernel::Location>& location,
                   const Block& block) {
  const std::string where = location ? describe(*location, block) : "";
  const std::string& what = fault.outcome.detail;
  const char* separator = where.empty() || what.empty() ? "" : ": ";
  return {fault.outcome.reason, where + separator + what};
}

}  // namespace assay

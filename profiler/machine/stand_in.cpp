#include "profiler/machine/stand_in.h"

#include <fmt/format.h>

#include "profiler/block/instruction_set.h"
#include "profiler/block/text.h"

namespace assay {

std::optional<Outcome> refuse_stand_ins(const Block& block, const InstructionSupport& support) {
  const std::vector<InstructionSet> sets = instruction_sets(block);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (sets[i].stand_in.empty()) continue;
    const auto lack = support.missing_feature(sets[i].name);
    if (!lack) continue;
    const Instruction& at = block.instructions[i];
    const auto first = block.bytes.begin() + static_cast<std::ptrdiff_t>(at.offset);
    const Bytes code(first, first + static_cast<std::ptrdiff_t>(at.length));
    return Outcome{Reason::kUnsupportedInstruction,
                   fmt::format("{} at offset {} would run as {}: not supported here: {}",
                               text_of(code), at.offset, sets[i].stand_in, *lack)};
  }
  return std::nullopt;
}

}  // namespace assay

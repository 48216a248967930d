#include "profiler/running/seen_whole.h"

#include <algorithm>

#include "profiler/block/operands.h"
#include "profiler/subject/layout.h"

namespace assay {
namespace {

/// More than any instruction accesses at an address, before or behind it.
constexpr std::uint64_t kMargin = 0x1'0000;

bool is_near_own_memory(const MemoryAccess& access) {
  return access.address + kMargin - subject::kBase < subject::kSpan + 2 * kMargin;
}

}  // namespace

bool is_seen_whole(const Block& block, Notion notion, const InitialState& state) {
  // What the state's own code leaves in registers is not known.
  if (!block.fixed_addresses || !state.code.empty()) return false;
  if (notion == Notion::kLooped && block.final_branch) return false;
  AddressRegisters registers{.general = state.general,
                             .rip = 0,
                             .fs_base = state.segment_base,
                             .gs_base = state.segment_base};
  return std::ranges::none_of(block.instructions, [&](const Instruction& at) {
    registers.rip = subject::kRipBase + at.offset;
    const auto code = std::span(block.bytes).subspan(at.offset, at.length);
    return std::ranges::any_of(memory_accesses(code, registers), is_near_own_memory);
  });
}

}  // namespace assay

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "profiler/block/block.h"
#include "profiler/block/fixed_addresses.h"
#include "profiler/block/input_dependence.h"
#include "profiler/block/refusal.h"
#include "profiler/block/registers.h"
#include "profiler/block/repeatability.h"
#include "profiler/block/text.h"
#include "profiler/block/zydis.h"

namespace assay {
namespace {

constexpr std::size_t kLongestInstruction = 15;

Bytes slice(const Bytes& bytes, std::size_t offset, std::size_t length) {
  const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(offset);
  return {first, first + static_cast<std::ptrdiff_t>(std::min(length, bytes.size() - offset))};
}

Refusal no_instruction(const Block& block, std::size_t offset) {
  const Bytes rest = slice(block.bytes, offset, kLongestInstruction);
  return {{Reason::kInvalidInstruction,
           fmt::format("the bytes {} at offset {} are no whole x86-64 instruction",
                       hex_from_bytes(rest), offset)},
          block.instructions.size()};
}

Refusal breaks_rule(const Block& block, const Instruction& at, const Outcome& rule) {
  return {{rule.reason,
           fmt::format("{} at offset {} {}", text_of(slice(block.bytes, at.offset, at.length)),
                       at.offset, rule.detail)},
          block.instructions.size()};
}

const ZydisDecodedOperand* rip_relative_operand(const Decoded& decoded) {
  for (const ZydisDecodedOperand& operand : decoded.operands()) {
    if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY &&
        (operand.mem.base == ZYDIS_REGISTER_RIP || operand.mem.base == ZYDIS_REGISTER_EIP)) {
      return &operand;
    }
  }
  return nullptr;
}

RipRelativeOperand describe(const Decoded& decoded, const ZydisDecodedOperand& operand,
                            const Instruction& at) {
  return {.displacement_offset = at.offset + decoded.instruction.raw.disp.offset,
          .next_instruction = at.offset + at.length,
          .displacement = static_cast<std::int32_t>(decoded.instruction.raw.disp.value),
          .size = accesses_memory(decoded, operand) ? operand.size / 8 : 0};
}

bool overlaps_block(const RipRelativeOperand& operand, const Block& block) {
  return operand.size > 0 && operand.target() < static_cast<std::int64_t>(block.bytes.size()) &&
         operand.target() + operand.size > 0;
}

std::optional<Outcome> add_rip_relative(const Decoded& decoded, const Instruction& at,
                                        Block& block) {
  const ZydisDecodedOperand* const operand = rip_relative_operand(decoded);
  if (operand == nullptr) return std::nullopt;
  if (operand->mem.base == ZYDIS_REGISTER_EIP) {
    return Outcome{Reason::kRipRelativeRange,
                   "is relative to EIP, which holds only the lower half of a copy's address"};
  }
  block.rip_relative.push_back(describe(decoded, *operand, at));
  if (!overlaps_block(block.rip_relative.back(), block)) return std::nullopt;
  return Outcome{Reason::kRipRelativeCode, "accesses the block's own bytes"};
}

void add_final_branch(const Decoded& decoded, const Instruction& at, Block& block) {
  if (!decoded.is_relative_branch()) return;
  const auto& displacement = decoded.instruction.raw.imm[0];
  block.final_branch = {.displacement_offset = at.offset + displacement.offset,
                        .displacement_size = displacement.size / 8};
}

bool is_wide(const Decoded& decoded) {
  constexpr int kLongest = 64;
  const auto& raw = decoded.instruction.raw;
  return raw.imm[0].size == kLongest || (raw.imm[0].size > 0 && raw.disp.size > 0);
}

/// Adds the instruction to the block, or says which rule it breaks.
std::optional<Outcome> add(const Decoded& decoded, const Instruction& at, Block& block) {
  const bool last = at.offset + at.length == block.bytes.size();
  if (const auto rule = broken_rule(decoded, last)) return rule;
  if (const auto rule = add_rip_relative(decoded, at, block)) return rule;
  add_final_branch(decoded, at, block);
  add_registers(decoded, block.registers);
  add_demand(decoded, block.demand);
  if (is_input_dependent(decoded)) block.traits.add(Trait::kInputDependent);
  block.wide_instructions += is_wide(decoded);
  block.repeatable = block.repeatable && !may_differ_between_runs(decoded);
  block.accesses_memory = block.accesses_memory || may_access_memory(decoded);
  block.writes_memory = block.writes_memory || may_write_memory(decoded);
  block.instructions.push_back(at);
  return std::nullopt;
}

/// Finds pairs of a move and an instruction that changes the copy, which may lie in the next copy
/// of the block. Cores make one operation of such a pair: Zen 5 of moves between general registers
/// (GCC, "x86-tune.def", fuse_mov_and_alu; measured there: 0.167 cycles for the pair mov ecx, esi;
/// and ecx, 7); Intel since Redwood Cove of loads as well (Intel's optimization manual: LD+OP and
/// MOV+OP; measured on a Granite Rapids, two pairs and three NOPs in a loop: 1.00 cycles with mov
/// r8, [rsi]; add r8, rcx, with movdqu or movdqa and paddd; 1.33 with movzx, movaps, movss, movq,
/// and with vmovdqu and vpaddd).
class FusedMoves {
 public:
  void add(const Decoded& decoded) {
    pairs_ += changes(decoded, copied_to_);
    copied_to_ = copied_to(decoded);
    if (!first_) first_ = decoded;
  }
  int pairs() const { return pairs_ + (first_ && changes(*first_, copied_to_)); }

 private:
  std::optional<Decoded> first_;
  ZydisRegister copied_to_ = ZYDIS_REGISTER_NONE;  ///< by the latest instruction
  int pairs_ = 0;
};

}  // namespace

std::variant<Block, Refusal> decode(const Bytes& bytes) {
  if (bytes.empty()) return Refusal{{Reason::kEmptyBlock, "there are no bytes"}, 0};
  if (bytes.size() > kLargestBlock) {
    return Refusal{{Reason::kTooLarge,
                    fmt::format("{} bytes; at most {} are decoded", bytes.size(), kLargestBlock)},
                   0};
  }
  Block block;
  block.bytes = bytes;
  FusedMoves fused;
  for (std::size_t offset = 0; offset < bytes.size();) {
    const auto decoded = decode_one(std::span(bytes).subspan(offset));
    if (!decoded) return no_instruction(block, offset);
    const Instruction at{offset, decoded->instruction.length};
    if (const auto rule = add(*decoded, at, block)) return breaks_rule(block, at, *rule);
    fused.add(*decoded);
    offset += at.length;
  }
  block.demand.operations -= fused.pairs();
  if (block.accesses_memory) {
    block.fixed_addresses = have_fixed_addresses(block.bytes, block.instructions);
  }
  return block;
}

}  // namespace assay

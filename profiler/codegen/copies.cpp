#include "profiler/codegen/copies.h"

#include <fmt/format.h>

#include <algorithm>

#include "profiler/subject/layout.h"
#include "profiler/support/cache_line.h"

namespace assay {
namespace {

constexpr std::uint8_t kShortJump = 0xeb;  // JMP rel8
constexpr std::uint8_t kNearJump = 0xe9;   // JMP rel32

/// The shift of the base with which most RIP-relative accesses are aligned to their size.
std::uint64_t best_shift(const Block& block) {
  const auto aligned = [&](std::uint64_t shift) {
    return std::ranges::count_if(block.rip_relative, [&](const RipRelativeOperand& operand) {
      const auto address = shift + static_cast<std::uint64_t>(operand.target());
      return operand.size > 0 && address % static_cast<std::uint64_t>(operand.size) == 0;
    });
  };
  std::uint64_t best = 0;
  if (block.rip_relative.empty()) return best;
  for (std::uint64_t shift = 1; shift < kCacheLine; ++shift) {
    if (aligned(shift) > aligned(best)) best = shift;
  }
  return best;
}

/// Whether any eight consecutive bytes of the block are an address of assay's own memory in the
/// subject: they may be an immediate or an address.
bool names_own_memory(const Block& block) {
  std::uint64_t window = 0;
  for (std::size_t i = 0; i < block.bytes.size(); ++i) {
    window = window >> 8 | static_cast<std::uint64_t>(block.bytes[i]) << 56;
    if (i >= 7 && subject::is_own_address(window)) return true;
  }
  return false;
}

}  // namespace

std::variant<CopyWriter, Outcome> CopyWriter::make(const Block& block, std::uint64_t first,
                                                   std::uint64_t last) {
  if (names_own_memory(block)) {
    return Outcome{Reason::kSubjectMemory, "it holds such an address"};
  }
  const CopyWriter writer(block, subject::kRipBase + best_shift(block));
  if (auto refusal = writer.out_of_reach(first, last)) return *refusal;
  return writer;
}

std::optional<Outcome> CopyWriter::out_of_reach(std::uint64_t first, std::uint64_t last) const {
  const auto reachable = [](std::uint64_t to, std::uint64_t from) {
    const auto distance = static_cast<std::int64_t>(to - from);
    return distance == static_cast<std::int32_t>(distance);
  };
  for (const RipRelativeOperand& operand : block_->rip_relative) {
    const std::uint64_t address = target(operand);
    const auto size = static_cast<std::uint64_t>(operand.size);
    const bool own = address + size > subject::kBase && address < subject::kBase + subject::kSpan;
    if (!own && reachable(address, first) && reachable(address, last)) continue;
    return Outcome{Reason::kRipRelativeRange,
                   fmt::format("displacement {:#x} in the instruction before offset {}",
                               operand.displacement, operand.next_instruction)};
  }
  return std::nullopt;
}

void CopyWriter::write(Emitter& code) const {
  const std::uint64_t start = code.address();
  code.bytes(block_->bytes);
  retarget(code, start, {0, block_->bytes.size()});
}

void CopyWriter::write_instruction(Emitter& code, std::size_t index) const {
  const Instruction& part = block_->instructions[index];
  const std::uint64_t start = code.address() - part.offset;
  code.bytes(std::span(block_->bytes).subspan(part.offset, part.length));
  retarget(code, start, part);
}

/// Rewrites the displacements in one part of a copy. `start` is where the whole copy would begin.
void CopyWriter::retarget(Emitter& code, std::uint64_t start, const Instruction& part) const {
  const auto holds = [&](std::size_t offset) {
    return offset >= part.offset && offset < part.offset + part.length;
  };
  for (const RipRelativeOperand& operand : block_->rip_relative) {
    if (!holds(operand.displacement_offset)) continue;
    code.patch_outward(start + operand.displacement_offset, target(operand),
                       start + operand.next_instruction);
  }
  const auto& branch = block_->final_branch;
  if (branch && holds(branch->displacement_offset)) {
    code.patch(start + branch->displacement_offset, 0, branch->displacement_size);
  }
}

bool CopyWriter::write_branch(Emitter& code, std::uint64_t target) const {
  const FinalBranch& branch = block_->final_branch.value();
  const Instruction& at = block_->instructions.back();
  const std::uint64_t field = code.address() + (branch.displacement_offset - at.offset);
  write_instruction(code, block_->instructions.size() - 1);
  const auto distance = static_cast<std::int64_t>(target - code.address());
  const std::uint8_t opcode = block_->bytes[branch.displacement_offset - 1];
  const bool short_jump = branch.displacement_size == 1 && opcode == kShortJump;
  const bool short_condition = branch.displacement_size == 1 && (opcode & 0xf0) == 0x70;
  if (branch.displacement_size == 4 || distance == static_cast<std::int8_t>(distance)) {
    code.patch(field, static_cast<std::uint64_t>(distance), branch.displacement_size);
    return true;
  }
  if (!short_jump && !short_condition) return false;
  code.cut(field - 1);
  // Jcc rel8 is 70+cc, Jcc rel32 is 0F 80+cc.
  short_jump ? code.bytes({kNearJump})
             : code.bytes({0x0f, static_cast<std::uint8_t>(opcode + 0x10)});
  code.constant(target - (code.address() + 4), 4);
  return true;
}

void CopyWriter::write_closing(Emitter& code, std::uint64_t target) const {
  for (std::size_t i = 0; i + 1 < block_->instructions.size(); ++i) write_instruction(code, i);
  // A JRCXZ or LOOP that does not reach the target keeps the displacement 0, which leads to the JMP
  // behind it.
  write_branch(code, target);
  // Behind a conditional branch, a JMP leads to the target too if the branch is not taken.
  const FinalBranch& branch = block_->final_branch.value();
  const std::uint8_t opcode = block_->bytes[branch.displacement_offset - 1];
  const bool jumps = branch.displacement_size == 1 ? opcode == kShortJump : opcode == kNearJump;
  if (!jumps) code.jump(target);
}

}  // namespace assay

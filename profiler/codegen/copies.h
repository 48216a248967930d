#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "profiler/block/block.h"
#include "profiler/codegen/emitter.h"

namespace assay {

/// Writes copies of one block so that all of them do the same, wherever they lie.
///
/// RIP-relative operands: every copy reaches the same target, as a loop over the one block would.
/// The block is taken to lie at subject::kRipBase plus a shift below 64 bytes, chosen so that as
/// many of its RIP-relative accesses as possible are aligned to their size, as compilers align what
/// they refer to; the displacements of each copy are rewritten to reach base + target from where
/// that copy is.
class CopyWriter {
 public:
  /// For copies that lie in [first, last). kRipRelativeRange refuses a block whose target cannot be
  /// reached from all of it, or would lie in assay's own memory; kSubjectMemory one that holds an
  /// address of that memory as an immediate. `block` must outlive the writer.
  static std::variant<CopyWriter, Outcome> make(const Block& block, std::uint64_t first,
                                                std::uint64_t last);

  /// A final branch leads to what stands behind the copy, taken or not.
  void write(Emitter& code) const;
  /// One instruction of the copy by its index, alone: what is written behind it may be anything.
  void write_instruction(Emitter& code, std::size_t index) const;
  /// A final branch leads to `target` if it is taken: in its near form where the short one does not
  /// reach, and where it has none (JRCXZ, LOOP) by way of a JMP, which is written behind the copy
  /// for all conditional branches, so that they lead there if they are not taken too.
  void write_closing(Emitter& code, std::uint64_t target) const;

  /// Where the block is taken to lie, whatever the copy.
  std::uint64_t home() const { return rip_base_; }
  /// The address of what a RIP-relative operand refers to.
  std::uint64_t target(const RipRelativeOperand& operand) const {
    return rip_base_ + static_cast<std::uint64_t>(operand.target());
  }

 private:
  CopyWriter(const Block& block, std::uint64_t rip_base) : block_(&block), rip_base_(rip_base) {}
  void retarget(Emitter& code, std::uint64_t start, const Instruction& part) const;
  std::optional<Outcome> out_of_reach(std::uint64_t first, std::uint64_t last) const;

  const Block* block_;
  std::uint64_t rip_base_;
};

}  // namespace assay

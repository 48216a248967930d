#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "profiler/block/block.h"
#include "profiler/codegen/emitter.h"

namespace assay {

/// Writes copies of one block that all do the same, wherever they lie.
///
/// RIP-relative operands: every copy reaches the same target, as a loop over a single copy would.
/// The block is taken to lie at subject::kRipBase plus a shift below 64 bytes. The shift is chosen
/// so that as many of the block's RIP-relative accesses as possible are aligned to their size,
/// since compilers align what they refer to. The displacements in each copy are rewritten, so that
/// they reach the target from where that copy lies.
class CopyWriter {
 public:
  /// Makes a writer for copies that lie in [first, last). Refuses by kRipRelativeRange a block with
  /// a target that cannot be reached from all of that range, or that would lie in assay's own
  /// memory, and by kSubjectMemory one that holds an address of that memory as an immediate.
  /// `block` must outlive the writer.
  static std::variant<CopyWriter, Outcome> make(const Block& block, std::uint64_t first,
                                                std::uint64_t last);

  /// Writes a copy. A final branch leads to the code behind the copy, whether it is taken or not.
  void write(Emitter& code) const;
  /// Writes only the copy's instruction with that index; any code may follow it.
  void write_instruction(Emitter& code, std::size_t index) const;
  /// Writes a copy whose final branch leads to `target`. A short branch that does not reach is
  /// replaced by its near form; one that has no near form (JRCXZ, LOOP) goes by way of a JMP. That
  /// JMP is written behind every conditional branch, so that control reaches `target` also if the
  /// branch is not taken.
  void write_closing(Emitter& code, std::uint64_t target) const;
  /// Writes only the copy's final branch, which leads to `target`; control goes on behind it if it
  /// is not taken. Returns false if it has no form that reaches.
  bool write_branch(Emitter& code, std::uint64_t target) const;

  /// The address that the block is taken to lie at, the same for all copies.
  std::uint64_t home() const { return rip_base_; }
  /// The address that a RIP-relative operand refers to.
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

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "profiler/block/bytes.h"
#include "profiler/block/traits.h"
#include "profiler/block/verdict.h"

namespace assay {

/// General registers by their hardware number (RAX = 0, RCX = 1, RDX = 2, RBX = 3, RSP = 4, ...,
/// R15 = 15), each standing for all its parts (AL, AX, EAX, RAX).
enum class GeneralRegister : std::uint8_t {
  kRax,
  kRcx,
  kRdx,
  kRbx,
  kRsp,
  kRbp,
  kRsi,
  kRdi,
  kR8,
  kR9,
  kR10,
  kR11,
  kR12,
  kR13,
  kR14,
  kR15,
};
inline constexpr int kGeneralRegisters = 16;
inline constexpr int kVectorRegisters = 32;  // only the first 16 exist without AVX-512

/// Which registers a block reads or writes, implicit operands included.
struct RegisterUse {
  std::uint16_t general = 0;  ///< bit i: GeneralRegister i
  std::uint32_t vector = 0;   ///< bit i: XMMi, YMMi or ZMMi
  /// Bits of the widest vector register that a VEX or EVEX instruction names: 0 (none), 128, 256 or
  /// 512. Legacy SSE counts as 0: it leaves the upper halves alone.
  int widest_vex_vector = 0;
  bool x87 = false;  ///< x87 or MMX state, or all of it at once (fxsave, xsave)

  bool uses(GeneralRegister reg) const { return (general >> static_cast<int>(reg)) & 1; }
  bool uses_vector(int index) const { return (vector >> index) & 1; }
};

/// An operand whose address is relative to the end of its instruction.
struct RipRelativeOperand {
  std::size_t displacement_offset = 0;  ///< of the 32-bit displacement, from the block's start
  std::size_t next_instruction = 0;     ///< offset in the block that the displacement counts from
  std::int32_t displacement = 0;
  int size = 0;  ///< bytes accessed; 0 when only the address is computed (lea)
  /// Offset of the operand's target from the block's first byte.
  std::int64_t target() const { return static_cast<std::int64_t>(next_instruction) + displacement; }
};

/// A direct jump, conditional or not, at the block's end.
struct FinalBranch {
  std::size_t displacement_offset = 0;  ///< of the displacement, from the block's start
  int displacement_size = 0;            ///< in bytes: 1 or 4
};

struct Instruction {
  std::size_t offset = 0;  ///< from the block's start
  std::size_t length = 0;  ///< in bytes, prefixes included
};

/// The least that each copy of a block asks of the core.
struct Demand {
  /// Instructions, except NOPs, a branch that may be fused with the one before it, and a move that
  /// may be fused with the one behind it.
  int operations = 0;
  int loads = 0;           ///< memory operands that are always read, each counted once
  int stores = 0;          ///< memory operands that are always written, each counted once
  int taken_branches = 0;  ///< jumps that are always taken
};

/// The machine code of one basic block that may be run: it decodes to its last byte and contains
/// nothing that assay refuses. Only decode() makes one.
struct Block {
  Bytes bytes;
  std::vector<Instruction> instructions;
  RegisterUse registers;
  std::vector<RipRelativeOperand> rip_relative;
  std::optional<FinalBranch> final_branch;
  /// How many instructions have both a displacement and an immediate, or an immediate of 8 bytes.
  int wide_instructions = 0;
  bool accesses_memory = false;  ///< some instruction may read or write memory
  bool writes_memory = false;    ///< some instruction may write memory
  bool fixed_addresses = true;   ///< all copies access the same memory (fixed_addresses.h)
  /// No instruction can have another result when the block runs again (repeatability.h).
  bool repeatable = true;
  Demand demand;
  Traits traits;  ///< the traits that the code shows by itself: kInputDependent
};

/// Why some bytes are not a block that may be run.
struct Refusal {
  /// Has the verdict kRejected; its detail names the instruction at fault, by its text and its
  /// offset.
  Outcome outcome;
  std::size_t instructions = 0;  ///< how many precede the instruction at fault
};

/// The size in bytes of the largest block that is decoded at all.
inline constexpr std::size_t kLargestBlock = std::size_t{16} * 1024;

/// Decodes in 64-bit mode and applies the rules of containment (docs/verdicts.md): control flow
/// other than a final direct jump, and whatever could enter the system, change state that outlives
/// the block, or be emulated by a hypervisor, is refused. Never throws on any input bytes.
std::variant<Block, Refusal> decode(const Bytes& bytes);

}  // namespace assay

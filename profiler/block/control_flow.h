#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace assay {

/// Where an instruction hands control to.
enum class FlowKind : std::uint8_t {
  kSequential,       ///< to the next one, by no branch
  kConditionalJump,  ///< to the target in the instruction or to the next one (xbegin, loop, jrcxz)
  kJump,             ///< to the target in the instruction
  kIndirectJump,     ///< to an address in a register or in memory; far jumps
  kCall,             ///< to the target in the instruction, and back behind it if that returns
  kIndirectCall,     ///< the same through a register or memory; far calls
  kReturn,           ///< to the caller; of interrupts too
  kSystemCall,       ///< into the system, and back behind it: syscall, sysenter, int 0x80
  kTrap,             ///< nowhere in the program: ud2, hlt, int3 and other interrupts
};

/// One instruction as far as it decides which is executed next.
struct ControlFlow {
  std::size_t length = 0;  ///< bytes, prefixes included: 1 to 15
  FlowKind kind = FlowKind::kSequential;
  /// Offset of a direct jump's or call's target from the instruction's first byte.
  std::optional<std::int64_t> target;
  /// Offset of the pointer that an indirect jump or call takes its target from, from the
  /// instruction's first byte, where it is addressed relative to RIP alone.
  std::optional<std::int64_t> pointer;
  /// nop in any length, and endbr64: no work but to be fetched, and the filling between code.
  bool nop = false;
};

/// The instruction at the start of `code`, in 64-bit mode; nothing if its bytes are no x86-64
/// instruction or end inside one, and for a direct branch with an operand-size prefix and no REX.W,
/// whose length and target differ between AMD and Intel. Never throws.
std::optional<ControlFlow> control_flow(std::span<const std::uint8_t> code);

/// Whether the instruction hands control to anywhere but the next one: whether it ends a block.
inline bool ends_block(FlowKind kind) { return kind != FlowKind::kSequential; }
/// Whether the next instruction may follow; after a call, if what was called returns.
bool falls_through(FlowKind kind);

}  // namespace assay

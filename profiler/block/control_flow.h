#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace assay {

/// Where an instruction transfers control to.
enum class FlowKind : std::uint8_t {
  kSequential,       ///< to the next instruction; it does not branch
  kConditionalJump,  ///< to the encoded target or the next instruction (also xbegin, loop, jrcxz)
  kJump,             ///< to the encoded target
  kIndirectJump,     ///< to an address in a register or in memory; also far jumps
  kCall,             ///< to the encoded target, then to the next instruction if that returns
  kIndirectCall,     ///< a call of an address in a register or in memory; also far calls
  kReturn,           ///< to the caller, or back from an interrupt
  kSystemCall,       ///< to the system, then to the next instruction: syscall, sysenter, int 0x80
  kTrap,             ///< nowhere in the program: ud2, hlt, int3 and other interrupts
};

/// What one instruction says about which instruction is executed next.
struct ControlFlow {
  std::size_t length = 0;  ///< in bytes, prefixes included: 1 to 15
  FlowKind kind = FlowKind::kSequential;
  /// The target of a direct jump or call, as an offset from the instruction's first byte.
  std::optional<std::int64_t> target;
  /// Where an indirect jump or call reads its target from, as an offset from the instruction's
  /// first byte; set only if that pointer is addressed relative to RIP alone.
  std::optional<std::int64_t> pointer;
  /// A nop of any length or endbr64: it only has to be fetched, and often pads the space between
  /// pieces of code.
  bool nop = false;
};

/// The control flow of the instruction at the start of `code`, in 64-bit mode. Returns nothing if
/// the bytes are no x86-64 instruction or end inside one, and for a direct branch with an
/// operand-size prefix and no REX.W, whose length and target differ between AMD and Intel. Never
/// throws.
std::optional<ControlFlow> control_flow(std::span<const std::uint8_t> code);

/// Whether control may go anywhere but to the next instruction, so that a block ends here.
inline bool ends_block(FlowKind kind) { return kind != FlowKind::kSequential; }
/// Whether the next instruction may be executed after this one; for a call, if what was called
/// returns.
bool falls_through(FlowKind kind);

}  // namespace assay

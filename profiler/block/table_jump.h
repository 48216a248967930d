#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "profiler/block/block.h"

namespace assay {

/// One instruction on a path through a program.
struct PathStep {
  std::span<const std::uint8_t> code;  ///< begins with it
  std::uint64_t address = 0;
  bool taken = false;  ///< a conditional jump: whether the path follows it
};

/// An indirect jump through a table, as compilers write a switch.
struct TableJump {
  std::uint64_t table = 0;    ///< address of the first entry
  std::uint64_t entries = 0;  ///< at least so many as the path lets pass, 1 to kMostTableEntries
  /// Where a 32-bit signed entry counts from; nothing: entries are 64-bit addresses.
  std::optional<std::uint64_t> base;
};
inline constexpr std::uint64_t kMostTableEntries = 65536;

/// Registers that hold the same address throughout a piece of code: tables' addresses are often
/// loaded once, far from the jump.
class ConstantRegisters {
 public:
  /// Takes in the next instruction of that piece, in any order.
  void see(std::span<const std::uint8_t> code, std::uint64_t address);
  /// What the register holds if no instruction but `lea reg, [rip + N]`, with one N, has set it, or
  /// a pop given it back to a caller. Only registers that survive calls (System V ABI) count.
  std::optional<std::uint64_t> value(GeneralRegister reg) const;

 private:
  std::array<std::optional<std::uint64_t>, kGeneralRegisters> values_;
  std::uint16_t spoilt_ = 0;  ///< bit i: register i is set in other ways too
};

/// What the indirect jump at the end of the path does, if what leads there, executed from the
/// path's start, shows it for sure: where the table lies, and that its index was compared with how
/// many entries there are. `constants` are taken for what registers hold at the start; nullptr:
/// nothing is known. A mask that an index went through says nothing: compilers know of values that
/// do not occur, and make the table shorter.
std::optional<TableJump> table_jump(std::span<const PathStep> path,
                                    const ConstantRegisters* constants);

/// Whether the indirect jump at the end of the path goes where a pointer in memory says that no
/// index has chosen: a virtual call, or one through a variable.
bool jumps_to_plain_pointer(std::span<const PathStep> path);

}  // namespace assay

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "profiler/block/block.h"

namespace assay {

/// One instruction on a path through a program.
struct PathStep {
  std::span<const std::uint8_t> code;  ///< begins with the instruction
  std::uint64_t address = 0;
  bool taken = false;  ///< for a conditional jump, whether the path follows it
};

/// An indirect jump through a table, as compilers write a switch.
struct TableJump {
  std::uint64_t table = 0;    ///< address of the first entry
  std::uint64_t entries = 0;  ///< at least as many as the path lets pass, 1 to kMostTableEntries
  /// What 32-bit signed entries are added to; nothing if entries are 64-bit addresses.
  std::optional<std::uint64_t> base;
};
inline constexpr std::uint64_t kMostTableEntries = 65536;

/// Registers that hold the same address throughout a piece of code. They are tracked because the
/// address of a table is often loaded once, far from the jump.
class ConstantRegisters {
 public:
  /// Takes in an instruction of that piece of code. The order of the calls does not matter.
  void see(std::span<const std::uint8_t> code, std::uint64_t address);
  /// The register's value if only `lea reg, [rip + N]`, always with the same N, sets it; a pop that
  /// restores it for a caller does not count. Only registers that survive calls (System V ABI) have
  /// one.
  std::optional<std::uint64_t> value(GeneralRegister reg) const;

 private:
  std::array<std::optional<std::uint64_t>, kGeneralRegisters> values_;
  std::uint16_t spoilt_ = 0;  ///< bit i: register i is also set in other ways
};

/// The table that the indirect jump at the end of the path goes through, if executing the path from
/// its start proves it: where the table lies, and that its index was compared with the number of
/// entries. `constants` gives what registers hold at the start; with nullptr nothing is known. A
/// mask applied to the index proves nothing: compilers know of values that do not occur, and make
/// the table shorter.
std::optional<TableJump> table_jump(std::span<const PathStep> path,
                                    const ConstantRegisters* constants);

/// Whether the indirect jump at the end of the path goes to a pointer in memory that no index has
/// selected: a virtual call, or a call through a variable.
bool jumps_to_plain_pointer(std::span<const PathStep> path);

}  // namespace assay

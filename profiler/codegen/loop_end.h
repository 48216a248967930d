#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "profiler/block/block.h"
#include "profiler/support/named.h"
#include "profiler/support/units.h"

namespace assay {

/// What leads from the end of a loop's body back to its start.
enum class LoopEnd : std::uint8_t {
  kAdded,     ///< DEC and JNZ (or JZ) beside all that the block does
  kReplaced,  ///< DEC and JNZ in place of the block's own compare and branch, or of its jump
  kOwn,       ///< the block's own branch, with nothing added
};
std::string_view name(LoopEnd end);
template <>
std::optional<LoopEnd> named<LoopEnd>(std::string_view word);

/// A general register and the initial values with which the block's own branch ends the loop after
/// so many turns: they form a line.
struct LoopBound {
  GeneralRegister reg = GeneralRegister::kRax;
  std::uint64_t of_one_turn = 0;
  std::uint64_t per_turn = 0;  ///< added for each further turn; modulo 2^bits, as is the sum
  int bits = 64;               ///< the upper bits are those of `of_one_turn`

  bool operator==(const LoopBound&) const = default;
  std::uint64_t value(Iterations turns) const;
};

/// A value in memory by which the block's own branch ends the loop, as the end of a string does. It
/// is stored before each run, where the last turn finds it.
struct LoopSentinel {
  std::uint64_t of_one_turn = 0;  ///< its address in a loop of one turn
  std::uint64_t per_turn = 0;     ///< added for each further turn
  int size = 1;                   ///< in bytes: 1, 2, 4 or 8
  std::uint64_t value = 0;

  bool operator==(const LoopSentinel&) const = default;
  std::uint64_t address(Iterations turns) const;
};

/// How a loop ends, and where it lies.
struct LoopShape {
  LoopEnd end = LoopEnd::kAdded;
  // If the end is kOwn, exactly one of these is set; else none.
  std::optional<LoopBound> bound;
  std::optional<LoopSentinel> sentinel;
  int alignment = 0;  ///< address of its first instruction modulo 64, as the code lies in lines

  bool operator==(const LoopShape&) const = default;
};

}  // namespace assay

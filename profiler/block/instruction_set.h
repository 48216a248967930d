#pragma once

#include <string_view>
#include <vector>

#include "profiler/block/block.h"

namespace assay {

/// The instruction set that an instruction belongs to.
struct InstructionSet {
  /// Zydis's name of the set, which is XED's: "I86", "SSE2", "AVX512F_256" (XED's documentation
  /// lists them as xed_isa_set_enum_t). Unlike there, ENDBR32 and ENDBR64 belong to "FAT_NOP",
  /// because every x86-64 CPU runs them, as NOPs if it gives them no other meaning. The text is
  /// never freed.
  std::string_view name;
  /// What a CPU that lacks the set silently executes in the instruction's place: "bsf" for tzcnt,
  /// "nop" for hints. Empty if the instruction raises an undefined-opcode fault there.
  std::string_view stand_in;
};

/// The instruction set of each of the block's instructions, in their order.
std::vector<InstructionSet> instruction_sets(const Block& block);

/// The names of all sets except those of Knights Corner, whose instructions are never decoded.
std::vector<std::string_view> instruction_set_names();

}  // namespace assay

#pragma once

#include <string_view>
#include <vector>

#include "profiler/block/block.h"

namespace assay {

/// Where an instruction belongs.
struct InstructionSet {
  /// Zydis's name of it, which is XED's: "I86", "SSE2", "AVX512F_256" (XED's documentation lists
  /// them as xed_isa_set_enum_t). Other than there, ENDBR32 and ENDBR64 are of "FAT_NOP": they
  /// are made so that every x86-64 CPU runs them, as NOPs where they mean nothing. Valid for ever.
  std::string_view name;
  /// What a CPU that lacks the set takes the instruction's bytes for, without a fault: "bsf" for
  /// tzcnt, "nop" for hints; empty where it raises an undefined-opcode fault.
  std::string_view stand_in;
};

/// That of each of the block's instructions, in their order.
std::vector<InstructionSet> instruction_sets(const Block& block);

/// All names that there are, but for those of Knights Corner, whose instructions are never decoded.
std::vector<std::string_view> instruction_set_names();

}  // namespace assay

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "profiler/block/assembler.h"
#include "profiler/block/bytes.h"

namespace assay {

// Private to profiler/block: what assay wants from LLVM MC, in plain types. llvm_mc.cpp is the only
// file that knows LLVM; llvm_mc_absent.cpp stands in for it in a build without.

bool llvm_is_built_in();

/// The first complaint about a source text.
struct AssemblerMessage {
  std::size_t offset = 0;  ///< in the source text that was assembled
  std::string text;
};

/// Intel-syntax text of the one instruction that `instruction` holds from its first byte to its
/// last, prefixes on the same line, single spaces. A branch's target is its last word. Nothing when
/// LLVM does not know the instruction or sees another length.
std::optional<std::string> print_with_llvm(std::span<const std::uint8_t> instruction);

/// Assembles a source text that has passed checked_source() (assembly_source.h): LLVM would execute
/// directives, and ends the process on some expressions. Reports what would need a relocation and
/// numbers that their instruction cannot hold. Without LLVM: a message that says so.
std::variant<Bytes, AssemblerMessage> assemble_with_llvm(const std::string& source, Syntax syntax);

}  // namespace assay

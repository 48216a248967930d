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
// file that knows LLVM; llvm_mc_absent.cpp takes its place in a build without LLVM.

bool llvm_is_built_in();

/// The first error in a source text.
struct AssemblerMessage {
  std::size_t offset = 0;  ///< where it is, in the source text that was assembled
  std::string text;
};

/// Intel-syntax text of the single instruction that fills `instruction` from the first byte to the
/// last, prefixes on the same line, with single spaces. A branch's target is the last word. Returns
/// nothing if LLVM does not know the instruction or decodes another length.
std::optional<std::string> print_with_llvm(std::span<const std::uint8_t> instruction);

/// Assembles a source text, which must have passed checked_source() (assembly_source.h): LLVM would
/// execute directives, and ends the process on some expressions. Reports an error for whatever
/// would need a relocation and for numbers that their instruction cannot hold. Without LLVM, the
/// result is a message that says so.
std::variant<Bytes, AssemblerMessage> assemble_with_llvm(const std::string& source, Syntax syntax);

}  // namespace assay

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/block/assembler.h"

namespace assay {

/// The largest source text, and the longest statement in it, in characters: more than any block
/// that is decoded needs, and little enough that LLVM's recursive parser cannot exhaust the stack.
inline constexpr std::size_t kLongestSource = 1 << 20;
inline constexpr std::size_t kLongestStatement = 1000;

/// The beginning of the labels that checked_source() puts in for ".": a name that nobody writes.
inline constexpr std::string_view kHereLabel = ".Lassay_here";

/// A source text that is safe to hand to LLVM.
struct AssemblySource {
  std::string text;
  std::vector<std::size_t> origins;  ///< for each character of `text`, its offset in the original
  /// Turns an offset in `text` into one in the original text; an offset past the end of `text`
  /// gives the end of the original.
  std::size_t origin(std::size_t offset) const;
};

/// Checks the text and prepares it for LLVM. Comments are blanked out; in Intel syntax 10h becomes
/// 0x10, and "." (the address of the statement that it stands in) becomes a label, because LLVM
/// reads neither.
///
/// Throws AssemblyError, as throw_source_error() does, for what must not reach LLVM's parser: what
/// would make it read files or end the process (directives other than .byte, division), what it
/// would silently assemble to something else (unclosed brackets, parentheses in Intel syntax,
/// shifts in expressions, numbers below -2^63), and also strings, assignments, control characters
/// and texts beyond the limits above.
AssemblySource checked_source(std::string_view text, Syntax syntax);

/// Throws AssemblyError whose message is "LINE:COLUMN: message", both counted from 1, followed by
/// the source line with a mark under the column.
[[noreturn]] void throw_source_error(std::string_view text, std::size_t offset,
                                     std::string_view message);

}  // namespace assay

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

/// What the labels that checked_source() puts in for "." begin with: a name that nobody writes.
inline constexpr std::string_view kHereLabel = ".Lassay_here";

/// A source text in the form that LLVM may be given.
struct AssemblySource {
  std::string text;
  std::vector<std::size_t> origins;  ///< for each character, the offset that it comes from
  /// The offset in the original text of an offset in `text`; the end for one past the end.
  std::size_t origin(std::size_t offset) const;
};

/// Checks the text and prepares it. Comments are blanked out; in Intel syntax 10h becomes 0x10, and
/// "." (this instruction's address) becomes a label, because LLVM reads neither.
///
/// Throws AssemblyError, as throw_source_error() does, for what must not reach LLVM's parser, since
/// it would read files or end the process (directives other than .byte, division), or be assembled
/// to something else without a word (unclosed brackets, parentheses in Intel syntax, shifts in
/// expressions, numbers below -2^63), and for strings, assignments, control characters and texts
/// beyond the limits above.
AssemblySource checked_source(std::string_view text, Syntax syntax);

/// Throws AssemblyError: "LINE:COLUMN: message", both counted from 1, then the source line with a
/// mark under the column.
[[noreturn]] void throw_source_error(std::string_view text, std::size_t offset,
                                     std::string_view message);

}  // namespace assay

#pragma once

#include <string_view>

#include "profiler/block/bytes.h"

namespace assay {

enum class Syntax { kIntel, kAtt };

/// Whether this build can assemble (LLVM MC is an optional component).
bool can_assemble();

/// Assembles instructions separated by ';' or line ends; '#' starts a comment. Throws InputError
/// with the assembler's message, the line and column and the source line for text that does not
/// assemble, for directives other than .byte, labels that stay undefined, and anything that would
/// need a relocation. Throws EnvironmentError when this build has no LLVM, saying what to install.
Bytes assemble(std::string_view text, Syntax syntax);

}  // namespace assay

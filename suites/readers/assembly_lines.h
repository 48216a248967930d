#pragma once

#include <memory>

#include "profiler/block/assembler.h"
#include "suites/readers/line_parser.h"

namespace assay {

/// Parses assembly text whose blocks may each have several lines: a block ends at an empty line, at
/// a line that is a lone ';', and at the text's end. A line that is only a comment is passed over.
/// An entry's line number is that of the block's first instruction; a BadLine's is that of the line
/// that is wrong, and the whole block is left out. The parser throws EnvironmentError for its first
/// block if this build has no assembler.
std::unique_ptr<LineParser> assembly_blocks(Syntax syntax);

/// Parses assembly text with one block on each line; otherwise like assembly_blocks().
std::unique_ptr<LineParser> assembly_lines(Syntax syntax);

}  // namespace assay

#pragma once

#include <memory>

#include "profiler/block/assembler.h"
#include "suites/readers/line_parser.h"

namespace assay {

/// Assembly text whose blocks take as many lines as they like: a block ends at an empty line, at a
/// line that is a lone ';', and at the end. Lines with a comment alone count as no line. An entry's
/// line is that of the block's first instruction; a bad line's is the one that is wrong, and all of
/// its block is left out. What is read throws EnvironmentError if this build has no assembler.
std::unique_ptr<LineParser> assembly_blocks(Syntax syntax);

/// Assembly text with a block on each line. As above.
std::unique_ptr<LineParser> assembly_lines(Syntax syntax);

}  // namespace assay

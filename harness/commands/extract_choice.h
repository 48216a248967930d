#pragma once

#include "harness/command_line.h"
#include "suites/extract/walk/block_cutter.h"

namespace assay {

/// Adds the options --keep-branch and --loops.
void add_choice_options(CommandLine& line);
/// Which blocks these options choose.
BlockChoice block_choice_from(const CommandLine::Values& values);

/// What was chosen, in the plural: "basic blocks", or "innermost loops of one block".
const char* what_is_taken(const BlockChoice& choice);

}  // namespace assay

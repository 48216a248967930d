#pragma once

#include "harness/command_line.h"
#include "profiler/block/bytes.h"

namespace assay {

/// Adds the options that give one block: --hex, --asm, --att, --file with --file-format.
void add_block_options(CommandLine& line);

/// The block that they give. Throws UsageError unless exactly one gives it, and InputError for text
/// that is not what the option says, naming the file where there is one.
Bytes block_from(const CommandLine::Values& values);

}  // namespace assay

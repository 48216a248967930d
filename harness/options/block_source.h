#pragma once

#include "harness/command_line.h"
#include "profiler/block/bytes.h"

namespace assay {

/// Adds the options that give one block: --hex, --asm, --att, and --file with --file-format.
void add_block_options(CommandLine& line);

/// The block that these options give. Throws UsageError unless exactly one of them gives it, and
/// InputError, with the file's name if there is one, for text that is not what the option says.
Bytes block_from(const CommandLine::Values& values);

}  // namespace assay

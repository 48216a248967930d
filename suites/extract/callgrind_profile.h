#pragma once

#include "suites/extract/executed_code.h"
#include "suites/readers/input_file.h"

namespace assay {

/// Adds what a profile of callgrind says of instructions and jumps to `code`: the file that
/// `valgrind --tool=callgrind --dump-instr=yes --dump-line=no --collect-jumps=yes` writes, of any
/// length (valgrind's manual, "Callgrind Format Specification"; what the manual leaves open is as
/// callgrind/dump.c of valgrind 3.19 writes it). An object is named by its path, code outside all
/// objects (compiled at run time, the kernel's) by "???".
///
/// Throws InputError with the line's number for a file that is not of this form, or whose
/// instructions do not add up to its own total, which it ends with: a file cut off half-way is
/// told by this. Part of it may have been added then.
void read_callgrind_profile(InputFile file, ExecutedCode& code);

}  // namespace assay

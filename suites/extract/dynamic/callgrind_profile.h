#pragma once

#include "suites/extract/dynamic/executed_code.h"
#include "suites/readers/input_file.h"

namespace assay {

/// Reads a profile of callgrind, and adds what it says of instructions and jumps to `code`. The
/// profile is a file that `valgrind --tool=callgrind --dump-instr=yes --dump-line=no
/// --collect-jumps=yes` has written, of any length (valgrind's manual, "Callgrind Format
/// Specification"; what the manual leaves open is as callgrind/dump.c of valgrind 3.19 writes it).
/// An object is named by its path, code outside all objects (compiled at run time, the kernel's) by
/// "???".
///
/// Throws InputError with the line's number for a file that is not of this form, or whose
/// instructions do not add up to the total at its end, which shows that a file was cut off. Part of
/// the file may have been added then.
void read_callgrind_profile(InputFile file, ExecutedCode& code);

}  // namespace assay

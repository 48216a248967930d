#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "suites/extract/dynamic/executed_blocks.h"
#include "suites/extract/dynamic/executed_code.h"
#include "suites/extract/walk/block_set.h"

namespace assay {

/// Which objects (programs and libraries) that ran blocks are taken from, and which blocks.
struct ObjectChoice {
  BlockChoice blocks = {};  ///< which of its blocks
  std::string only = {};    ///< path of the only object that is taken; empty: all
  /// Patterns of files' names without folders, as shells have them ("libc*"); none: all objects.
  std::vector<std::string> patterns = {};
};

/// What ran in one object, and what was taken from it.
struct ObjectFigures {
  std::string path;  ///< where it was loaded from; "???" for code that callgrind finds no file for
  /// Executions of instructions in it, with each iteration of a rep.
  std::uint64_t instructions = 0;
  ExecutedCounts counts;
  std::uint64_t distinct = 0;  ///< distinct blocks that were taken
  std::string passed_over;     ///< why nothing was taken, a clause; empty if its blocks were taken
};

/// Adds the blocks that ran to `blocks`, with the bytes that the objects' files have: one object
/// after the other, in the order of their paths. Passed over are code in no file (compiled at run
/// time, the kernel's vDSO), files that cannot be read as a program for this machine, objects that
/// were not chosen, and valgrind's own. Throws InputError if nothing ran in an object that was
/// chosen by name or pattern.
std::vector<ObjectFigures> extract_executed(ExecutedCode& code, const ObjectChoice& choice,
                                            BlockSet& blocks);

}  // namespace assay

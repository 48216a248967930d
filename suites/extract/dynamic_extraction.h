#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "suites/extract/block_set.h"
#include "suites/extract/executed_blocks.h"
#include "suites/extract/executed_code.h"

namespace assay {

/// Which of what ran is taken.
struct ObjectChoice {
  bool keep_branch = false;
  std::string only = {};  ///< path of the only object that is taken; empty: all
  /// Patterns of files' names without folders, as shells have them ("libc*"); none: all objects.
  std::vector<std::string> patterns = {};
};

/// What one object gave.
struct ObjectFigures {
  std::string path;  ///< as it was loaded from; "???" for code that callgrind finds no file for
  std::uint64_t instructions =
      0;  ///< that ran in it, each as often as it ran, rep's iterations too
  ExecutedCounts counts;
  std::uint64_t distinct = 0;  ///< blocks
  std::string passed_over;     ///< why nothing was taken, a clause; empty: its blocks were
};

/// Adds the blocks of what ran to `blocks`, from the objects' files: one object after the other, by
/// path. Code in no file (compiled at run time, the kernel's vDSO), files that cannot be read as a
/// program of this machine, objects that were not asked for and valgrind's own are passed over.
/// Throws InputError if what was asked for did not run.
std::vector<ObjectFigures> extract_executed(ExecutedCode& code, const ObjectChoice& choice,
                                            BlockSet& blocks);

}  // namespace assay

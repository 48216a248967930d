#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include "profiler/block/bytes.h"
#include "profiler/block/verdict.h"

namespace assay {

/// A block of suites/data with what the comment lines directly above it say (suites/data/README.md
/// describes their form).
struct AnnotatedBlock {
  Bytes bytes;
  std::int64_t line = 0;  ///< line of the block, counted from 1
  std::string about;      ///< description of the block; may be empty
  std::string text;       ///< what "# text:" gives, with single blanks; empty without that line
  Reason expected = Reason::kNone;  ///< kNone: the block is expected to run
};

/// Reads all blocks of a suite. Throws InputError, with the line, for a line that is neither a
/// block nor a comment, and for a "# expect:" line that does not name a verdict and a reason that
/// has this verdict.
std::vector<AnnotatedBlock> read_annotated_suite(std::istream& suite);

/// The text with a single blank in place of several in a row, and none at its ends.
std::string with_single_blanks(const std::string& text);

}  // namespace assay

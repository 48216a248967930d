#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include "profiler/block/bytes.h"
#include "profiler/block/verdict.h"

namespace assay {

/// A block of suites/data with what the comment lines directly above it say (suites/data/README.md
/// has the form).
struct AnnotatedBlock {
  Bytes bytes;
  std::int64_t line = 0;  ///< of the block, counted from 1
  std::string about;      ///< empty if nothing describes it
  std::string text;       ///< what "# text:" gives, with single blanks; empty without that line
  Reason expected = Reason::kNone;  ///< kNone: it is expected to run
};

/// Throws InputError, with the line, for what is neither a block nor a comment, and for a
/// "# expect:" line that names no verdict and reason, or a reason that has another verdict.
std::vector<AnnotatedBlock> read_annotated_suite(std::istream& suite);

/// `text` with one blank where there were several, and none at its ends.
std::string with_single_blanks(const std::string& text);

}  // namespace assay

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "profiler/block/block_spec.h"

namespace assay {

/// One block of a corpus, of one byte at least, and what the corpus says of it.
struct CorpusEntry : BlockSpec {
  /// How often the block was seen, relative to the corpus's other blocks; finite, not negative.
  std::optional<double> frequency;
  /// The reciprocal throughput that another tool gives for the block, as the file has it: core
  /// cycles per 100 iterations; finite, not negative.
  std::optional<double> reference_cycles;
  /// What the corpus calls the block, UTF-8; may be empty.
  std::string name;
  /// Where the block was found, such as program, library or function, UTF-8; may be empty.
  std::string origin;
  std::int64_t line = 0;  ///< line of the file, counted from 1
};

/// A line that gives no block.
struct BadLine {
  std::int64_t line = 0;  ///< line of the file, counted from 1
  /// What is wrong, at which column (a byte's position in the line, counted from 1, a byte order
  /// mark not counted), and the line itself, clipped and escaped: printable ASCII throughout.
  std::string problem;
};

using CorpusItem = std::variant<CorpusEntry, BadLine>;

}  // namespace assay

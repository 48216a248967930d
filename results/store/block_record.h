#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profiler/block/block_spec.h"

namespace assay {

/// A block and the views of it that are stored with it.
struct BlockRecord : BlockSpec {
  std::string text;               ///< text_of() its bytes
  std::int64_t instructions = 0;  ///< number of instructions, as far as it decodes
};

/// A line of a corpus in which a block stands.
struct SourceRecord {
  std::string corpus;
  std::int64_t line = 0;            ///< counted from 1
  std::optional<double> frequency;  ///< as the line gives it
  std::string name;                 ///< what the line calls the block; may be empty
  std::string origin;               ///< where the line says the block was found; may be empty
};

}  // namespace assay

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profiler/block/bytes.h"

namespace assay {

/// A block and the views of it that are stored with it.
struct BlockRecord {
  Bytes bytes;
  std::string text;               ///< text_of(bytes)
  std::int64_t instructions = 0;  ///< as far as it decodes
};

/// A line of a corpus in which a block stands.
struct SourceRecord {
  std::string corpus;
  std::int64_t line = 0;            ///< counted from 1
  std::optional<double> frequency;  ///< as the line gives it
};

}  // namespace assay

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profiler/block/bytes.h"

namespace assay {

/// A block and the views of it that are stored with it. Its bytes and its state tell it from any
/// other.
struct BlockRecord {
  Bytes bytes;
  std::string text;               ///< text_of(bytes)
  std::int64_t instructions = 0;  ///< as far as it decodes
  /// Canonical text of an initial state of its own (state_text.h); empty: that of the campaign.
  std::string state;
};

/// A line of a corpus in which a block stands.
struct SourceRecord {
  std::string corpus;
  std::int64_t line = 0;            ///< counted from 1
  std::optional<double> frequency;  ///< as the line gives it
  std::string name;                 ///< what the line calls the block; may be empty
  std::string origin;               ///< where the line says that it was found; may be empty
};

}  // namespace assay

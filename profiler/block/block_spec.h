#pragma once

#include <boost/describe/class.hpp>
#include <compare>
#include <string>

#include "profiler/block/bytes.h"

namespace assay {

/// A block to measure: machine code, and the initial state that it is to be run under. Corpora,
/// campaigns and stores tell blocks apart by the two together.
struct BlockSpec {
  Bytes bytes;
  /// The block's own initial state, as canonical text (codegen/state_text.h). If it is empty, the
  /// block is run under the initial state of whoever measures it.
  std::string state{};

  auto operator<=>(const BlockSpec&) const = default;
};
BOOST_DESCRIBE_STRUCT(BlockSpec, (), (bytes, state))

}  // namespace assay

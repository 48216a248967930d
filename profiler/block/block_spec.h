#pragma once

#include <boost/describe/class.hpp>
#include <compare>
#include <string>

#include "profiler/block/bytes.h"

namespace assay {

/// A block to measure: machine code, and the initial state that it is to be run under. The two
/// together tell it from any other, in corpora, campaigns and stores.
struct BlockSpec {
  Bytes bytes;
  /// An initial state of its own, as canonical text (codegen/state_text.h); empty: that of whoever
  /// measures it.
  std::string state{};

  auto operator<=>(const BlockSpec&) const = default;
};
BOOST_DESCRIBE_STRUCT(BlockSpec, (), (bytes, state))

}  // namespace assay

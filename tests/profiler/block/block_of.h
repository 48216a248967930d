#pragma once

#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "profiler/block/block.h"
#include "profiler/block/bytes.h"
#include "profiler/block/verdict.h"

namespace assay {

/// The block with these bytes. A block that assay refuses fails the test, and is empty.
inline Block block_of(const std::string& hex) {
  auto decoded = decode(bytes_from_hex(hex));
  if (const auto* refusal = std::get_if<Refusal>(&decoded)) {
    ADD_FAILURE() << hex << ": " << name(refusal->outcome.reason) << ": "
                  << refusal->outcome.detail;
    return {};
  }
  return std::get<Block>(decoded);
}

}  // namespace assay

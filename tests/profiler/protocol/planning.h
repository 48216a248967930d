#pragma once

#include <cstddef>
#include <variant>

#include "profiler/block/block.h"
#include "profiler/block/bytes.h"

namespace assay {

// What tests of plans begin with.

inline constexpr std::size_t kInstructionCache = std::size_t{32} * 1024;  ///< bytes

/// A block of so many instructions of one byte each.
inline Block nops(int count) {
  return std::get<Block>(decode(Bytes(static_cast<std::size_t>(count), 0x90)));
}

/// A block of so many instructions of ten bytes each: movabs rax, ...
inline Block long_moves(int count) {
  Bytes bytes;
  const Bytes one = bytes_from_hex("48b8f0debc9a78563412");
  for (int i = 0; i < count; ++i) bytes.insert(bytes.end(), one.begin(), one.end());
  return std::get<Block>(decode(bytes));
}

}  // namespace assay

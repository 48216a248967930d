#pragma once

#include <cstdint>

namespace assay {

/// The bytes of a line of every cache, on all x86-64 cores so far.
inline constexpr std::uint64_t kCacheLine = 64;

}  // namespace assay

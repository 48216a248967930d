#include "suites/readers/decompressor.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace assay {
namespace {

/// A magic number. The low bits of its first byte may be masked out: in that of skippable frames
/// they are free (RFC 8878, 3.1.2).
struct Magic {
  Compression compression;
  std::array<std::uint8_t, 4> bytes;
  std::size_t size;
  std::uint8_t mask;  ///< bits of the first byte that count
};

constexpr Magic kMagics[] = {
    {Compression::kGzip, {0x1f, 0x8b}, 2, 0xff},
    {Compression::kZstd, {0x28, 0xb5, 0x2f, 0xfd}, 4, 0xff},
    {Compression::kZstd, {0x50, 0x2a, 0x4d, 0x18}, 4, 0xf0},
};

bool begins(const Magic& magic, std::string_view start) {
  for (std::size_t i = 0; i < std::min(start.size(), magic.size); ++i) {
    const auto byte = static_cast<std::uint8_t>(start[i]);
    if ((i == 0 ? byte & magic.mask : byte) != magic.bytes[i]) return false;
  }
  return true;
}

}  // namespace

Compression compression_of(std::string_view start) {
  const auto* const found =
      std::ranges::find_if(kMagics, [&](const Magic& magic) { return begins(magic, start); });
  if (found == std::end(kMagics)) return Compression::kNone;
  return start.size() < found->size ? Compression::kNotKnownYet : found->compression;
}

}  // namespace assay

#include "suites/extract/program/byte_reader.h"

namespace assay {
namespace {

constexpr unsigned kBits = 64;

}  // namespace

std::uint64_t ByteReader::read_uleb() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < kBits; shift += 7) {
    const auto byte = read<std::uint8_t>();
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  failed_ = true;
  return 0;
}

std::int64_t ByteReader::read_sleb() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < kBits;) {
    const auto byte = read<std::uint8_t>();
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    shift += 7;
    if ((byte & 0x80) != 0) continue;
    if ((byte & 0x40) != 0 && shift < kBits) value |= ~std::uint64_t{0} << shift;
    return static_cast<std::int64_t>(value);
  }
  failed_ = true;
  return 0;
}

}  // namespace assay

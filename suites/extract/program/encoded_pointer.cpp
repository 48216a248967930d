#include "suites/extract/program/encoded_pointer.h"

namespace assay {
namespace {

constexpr std::uint8_t kFormat = 0x0f;
constexpr std::uint8_t kRelation = 0x70;
constexpr std::uint8_t kIndirect = 0x80;
constexpr std::uint8_t kAbsolute = 0x00;
constexpr std::uint8_t kPlaceRelative = 0x10;

std::uint64_t extended(std::int64_t value) { return static_cast<std::uint64_t>(value); }

}  // namespace

std::uint64_t read_encoded_number(ByteReader& reader, std::uint8_t encoding) {
  switch (encoding & kFormat) {
    case 0x00:  // DW_EH_PE_absptr
    case 0x04:  // udata8
    case 0x0c:  // sdata8
      return reader.read<std::uint64_t>();
    case 0x01:
      return reader.read_uleb();
    case 0x02:
      return reader.read<std::uint16_t>();
    case 0x03:
      return reader.read<std::uint32_t>();
    case 0x09:
      return extended(reader.read_sleb());
    case 0x0a:
      return extended(reader.read<std::int16_t>());
    case 0x0b:
      return extended(reader.read<std::int32_t>());
    default:
      reader.skip(reader.left() + 1);  // makes the reader fail
      return 0;
  }
}

std::optional<std::uint64_t> read_encoded_pointer(ByteReader& reader, std::uint8_t encoding,
                                                  std::uint64_t address) {
  if (encoding == kPointerOmitted) return std::nullopt;
  const std::uint64_t value = read_encoded_number(reader, encoding);
  if (reader.failed() || value == 0) return std::nullopt;
  const std::uint8_t relation = encoding & kRelation;
  if ((encoding & kIndirect) != 0 || (relation != kAbsolute && relation != kPlaceRelative)) {
    reader.skip(reader.left() + 1);  // makes the reader fail
    return std::nullopt;
  }
  return relation == kPlaceRelative ? address + value : value;
}

}  // namespace assay

#include "suites/extract/program/landing_pads.h"

#include <algorithm>

#include "suites/extract/program/encoded_pointer.h"

namespace assay {

LandingPadReader::LandingPadReader(Image& image) : image_(image) {
  for (const ImageRange& range : image.data) left_ += range.bytes.size();
}

void LandingPadReader::add(const FrameRange& function, std::uint64_t address) {
  const auto bytes = image_.bytes_at(address);
  ByteReader reader(bytes.first(std::min<std::size_t>(bytes.size(), left_)));
  // Landing pads are relative to the table's base or, if it has none, to the function's start.
  const auto base_encoding = reader.read<std::uint8_t>();
  const std::uint64_t base =
      read_encoded_pointer(reader, base_encoding, address + reader.position())
          .value_or(function.start);
  if (reader.read<std::uint8_t>() != kPointerOmitted) reader.read_uleb();  // type table's offset
  const auto encoding = reader.read<std::uint8_t>();
  const std::uint64_t length = reader.read_uleb();
  const std::size_t begin = reader.position();
  while (!reader.failed() && reader.position() - begin < length) {
    read_encoded_number(reader, encoding);  // start of the call site
    read_encoded_number(reader, encoding);  // its length
    const std::uint64_t pad = read_encoded_number(reader, encoding);
    reader.read_uleb();  // action
    if (reader.failed()) break;
    if (pad != 0 && !image_.code_at(base + pad).empty()) {
      image_.landing_pads.push_back({base + pad, function.start});
    }
  }
  left_ -= std::min<std::uint64_t>(left_, reader.position());
}

}  // namespace assay

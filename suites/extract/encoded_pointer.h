#pragma once

#include <cstdint>
#include <optional>

#include "suites/extract/byte_reader.h"

namespace assay {

/// How exception tables write a pointer: the DW_EH_PE_ values of the Linux Standard Base,
/// "Exception Frames", which the GNU tools call dwarf2.h's.
inline constexpr std::uint8_t kPointerOmitted = 0xff;

/// Reads a pointer of that encoding, which stands at `address` in memory. Nothing if it is omitted
/// or null, if its encoding is relative to anything but its own place, or if the bytes end: the
/// reader has failed for the last two.
std::optional<std::uint64_t> read_encoded_pointer(ByteReader& reader, std::uint8_t encoding,
                                                  std::uint64_t address);

/// Reads a number of that encoding's size, whatever it would be relative to.
std::uint64_t read_encoded_number(ByteReader& reader, std::uint8_t encoding);

}  // namespace assay

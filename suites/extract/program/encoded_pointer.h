#pragma once

#include <cstdint>
#include <optional>

#include "suites/extract/program/byte_reader.h"

namespace assay {

/// The encoding that stands for a pointer left out of an exception table. Encodings are the
/// DW_EH_PE_ values of the Linux Standard Base, "Exception Frames", and of the GNU tools' dwarf2.h.
inline constexpr std::uint8_t kPointerOmitted = 0xff;

/// Reads a pointer in this encoding, which lies at `address` in memory. Nothing if it is omitted or
/// null, if it is relative to anything but its own address, or if the bytes end; in the last two
/// cases the reader has failed.
std::optional<std::uint64_t> read_encoded_pointer(ByteReader& reader, std::uint8_t encoding,
                                                  std::uint64_t address);

/// Reads a number of this encoding's size, without adding what it is relative to.
std::uint64_t read_encoded_number(ByteReader& reader, std::uint8_t encoding);

}  // namespace assay

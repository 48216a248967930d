#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Machine code. The bytes of a block are the truth about it; any text is a view of them.
using Bytes = std::vector<std::uint8_t>;

/// Reads hexadecimal digits of either case, two per byte, with nothing between them. An empty
/// string gives no bytes. Throws InputError, which names the first wrong character and its position
/// (counted from 1), or says that the number of digits is odd.
Bytes bytes_from_hex(std::string_view hex);

/// Lower-case hexadecimal digits, two per byte: the form by which blocks are identified.
std::string hex_from_bytes(const Bytes& bytes);

}  // namespace assay

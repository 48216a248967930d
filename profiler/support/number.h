#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace assay {

/// Reads decimal digits, or 0x and hexadecimal digits; nothing if the text is anything else or the
/// number has more than 64 bits.
std::optional<std::uint64_t> parse_number(std::string_view text);

/// Reads hexadecimal digits without a prefix; nothing if there are none, if there is anything else,
/// or if the number has more than 64 bits.
std::optional<std::uint64_t> parse_hexadecimal(std::string_view digits);

}  // namespace assay

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace assay {

/// Decimal digits, or 0x and hexadecimal ones; nothing if it is anything else or has more than 64
/// bits.
std::optional<std::uint64_t> parse_number(std::string_view text);

/// Only hexadecimal digits, without a prefix; nothing if there is none, anything else, or more than
/// 64 bits.
std::optional<std::uint64_t> parse_hexadecimal(std::string_view digits);

}  // namespace assay

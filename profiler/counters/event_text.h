#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// The parts between separators, empty ones too; one part if there is no separator.
std::vector<std::string_view> split(std::string_view text, char separator);

std::string lower_case(std::string_view text);

/// A number as perf writes it: decimal digits, or 0x and hexadecimal ones; nothing if it is
/// anything else or has more than 64 bits.
std::optional<std::uint64_t> parse_number(std::string_view text);

/// Only hexadecimal digits, without a prefix; nothing if there is none, anything else, or more than
/// 64 bits.
std::optional<std::uint64_t> parse_hexadecimal(std::string_view digits);

/// Joins with ", "; no more than `most` of them, and then how many more there are.
std::string listed(const std::vector<std::string>& names, std::size_t most);

}  // namespace assay

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// The parts between separators, empty ones too; one part if there is no separator.
std::vector<std::string_view> split(std::string_view text, char separator);

std::string lower_case(std::string_view text);

/// Joins with ", "; no more than `most` of them, and then how many more there are.
std::string listed(const std::vector<std::string>& names, std::size_t most);

}  // namespace assay

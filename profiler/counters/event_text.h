#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// The parts of the text between separators, including empty ones; one part if there is none.
std::vector<std::string_view> split(std::string_view text, char separator);

std::string lower_case(std::string_view text);

/// Joins at most `most` names with ", ", and says how many more there are.
std::string listed(const std::vector<std::string>& names, std::size_t most);

}  // namespace assay

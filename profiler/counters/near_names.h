#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// The names that someone who wrote `name` may have meant, the nearest first, at most `most`: those
/// that are few edits away (a third of its length), and those that it is a part of. Capitals and
/// small letters are the same.
std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& names,
                                    std::size_t most);

/// How many letters must be put in, left out or replaced to make the one of the other
/// (Levenshtein's distance).
std::size_t edits_between(std::string_view one, std::string_view other);

}  // namespace assay

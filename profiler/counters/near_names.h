#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// The names that somebody who wrote `name` may have meant, the nearest first, at most `most`:
/// names that are few edits away (a third of its length), and names that contain it. Upper and
/// lower case count as the same.
std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& names,
                                    std::size_t most);

/// How many letters must be inserted, deleted or replaced to turn one text into the other
/// (Levenshtein's distance).
std::size_t edits_between(std::string_view one, std::string_view other);

}  // namespace assay

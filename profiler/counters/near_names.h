#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

inline constexpr std::size_t kMostSuggested = 5;  ///< of near names, in a message
inline constexpr std::size_t kMostListed = 40;    ///< of all names, in a message

/// The names that somebody who wrote `name` may have meant, the nearest first, at most `most`:
/// names that are few edits away (a third of its length), and names that contain it. Upper and
/// lower case count as the same.
std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& names,
                                    std::size_t most);

/// How many letters must be inserted, deleted or replaced to turn one text into the other
/// (Levenshtein's distance).
std::size_t edits_between(std::string_view one, std::string_view other);

}  // namespace assay

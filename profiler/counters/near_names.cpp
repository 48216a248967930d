#include "profiler/counters/near_names.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "profiler/counters/event_text.h"

namespace assay {

std::size_t edits_between(std::string_view one, std::string_view other) {
  // Computed row by row: row[j] is the distance from the letters of `one` seen so far to the first
  // j letters of `other`.
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::size_t replaced = diagonal + (one[i] == other[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& names,
                                    std::size_t most) {
  const std::string wanted = lower_case(name);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : names) {
    const std::string lower = lower_case(candidate);
    const std::size_t edits = edits_between(wanted, lower);
    const bool is_part = wanted.size() >= 3 && lower.find(wanted) != std::string::npos;
    if (is_part || edits <= std::max<std::size_t>(1, wanted.size() / 3)) {
      near.emplace_back(edits, candidate);
    }
  }
  std::ranges::sort(near);
  // This is not std::ranges::unique, because Clang 14 refuses what that returns in libstdc++ 12.
  near.erase(std::unique(near.begin(), near.end()), near.end());
  std::vector<std::string> nearest;
  for (std::size_t i = 0; i < std::min(most, near.size()); ++i) nearest.push_back(near[i].second);
  return nearest;
}

}  // namespace assay

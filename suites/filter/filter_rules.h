#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "suites/filter/block_facts.h"

namespace assay {

/// Which blocks stay in a corpus: those that no rule drops. By default none does.
struct FilterRules {
  CodeTraits drop;                 ///< a block with any of these is dropped
  std::optional<CodeTraits> keep;  ///< a block with none of these is dropped
  std::optional<int> min_length;   ///< in instructions
  std::optional<int> max_length;
  std::optional<std::vector<MemoryUse>> memory;             ///< a block of another use is dropped
  std::optional<std::vector<std::string_view>> extensions;  ///< that uses none of these
  std::vector<std::string_view> without_extensions;         ///< that uses any of these

  /// Whether a rule looks at the blocks' code at all.
  bool look_at_code() const;
};

/// The rule that drops the block, named by what is wrong with it, the first one in the order of
/// the fields above: the name of a trait, "none_of_keep", "too_short", "too_long", "memory",
/// "extension"; nothing if it stays. A refused block, of which the last four know nothing, is
/// dropped as "refused" by any of them.
std::optional<std::string_view> dropped_for(const FilterRules& rules, const BlockFacts& facts);

}  // namespace assay

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "suites/filter/block_facts.h"

namespace assay {

/// Which blocks stay in a corpus: those that no rule drops. By default none does.
struct FilterRules {
  CodeTraits drop;                               ///< a block with any of these is dropped
  std::optional<CodeTraits> keep;                ///< a block with none of these is dropped
  std::optional<int> min_length;                 ///< a block of fewer instructions is dropped
  std::optional<int> max_length;                 ///< a block of more instructions is dropped
  std::optional<std::vector<MemoryUse>> memory;  ///< a block with another use of memory is dropped
  /// A block that uses none of these is dropped.
  std::optional<std::vector<std::string_view>> extensions;
  std::vector<std::string_view> without_extensions;  ///< a block that uses any of these is dropped

  /// Whether any of these rules has to look at the code of the blocks.
  bool look_at_code() const;
};

/// Why the block is dropped, by the first rule that drops it, in the order of the fields of
/// FilterRules: the name of a trait, "none_of_keep", "too_short", "too_long", "memory" or
/// "extension"; nothing if the block stays. The rules of the last four drop a refused block as
/// "refused", since neither its length nor its use of memory and of extensions is known.
std::optional<std::string_view> dropped_for(const FilterRules& rules, const BlockFacts& facts);

}  // namespace assay

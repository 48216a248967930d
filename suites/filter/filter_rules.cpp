#include "suites/filter/filter_rules.h"

#include <algorithm>

namespace assay {
namespace {

bool uses_any(const BlockFacts& facts, const std::vector<std::string_view>& extensions) {
  return std::ranges::any_of(extensions, [&](std::string_view extension) {
    return std::ranges::binary_search(facts.extensions, extension);
  });
}

bool look_at_more_than_traits(const FilterRules& rules) {
  return rules.min_length || rules.max_length || rules.memory || rules.extensions ||
         !rules.without_extensions.empty();
}

}  // namespace

bool FilterRules::look_at_code() const {
  return drop.any() || keep || look_at_more_than_traits(*this);
}

std::optional<std::string_view> dropped_for(const FilterRules& rules, const BlockFacts& facts) {
  for (int i = 0; i < kCodeTraits; ++i) {
    const auto trait = static_cast<CodeTrait>(i);
    if (has(facts.traits & rules.drop, trait)) return name(trait);
  }
  if (rules.keep && (facts.traits & *rules.keep).none()) return "none_of_keep";
  if (facts.refusal != Reason::kNone && look_at_more_than_traits(rules)) {
    return name(CodeTrait::kRefused);
  }
  if (rules.min_length && facts.instructions < *rules.min_length) return "too_short";
  if (rules.max_length && facts.instructions > *rules.max_length) return "too_long";
  if (rules.memory && std::ranges::find(*rules.memory, facts.memory) == rules.memory->end()) {
    return "memory";
  }
  if (rules.extensions && !uses_any(facts, *rules.extensions)) return "extension";
  if (uses_any(facts, rules.without_extensions)) return "extension";
  return std::nullopt;
}

}  // namespace assay

#include "profiler/block/traits.h"

#include <fmt/ranges.h>

#include <array>

namespace assay {
namespace {

constexpr std::array<std::string_view, kTraits> kTraitNames = {
    "split_line",        "split_page", "cache_reach", "tlb_reach",       "page_aliasing",
    "memory_dependence", "x87_stack",  "subnormal",   "input_dependent", "several_states",
};
static_assert(static_cast<int>(Trait::kSeveralStates) + 1 == kTraits);

}  // namespace

std::string_view name(Trait trait) { return kTraitNames.at(static_cast<std::size_t>(trait)); }

template <>
std::optional<Trait> named<Trait>(std::string_view name) {
  return value_named<Trait>(kTraitNames, name);
}

std::vector<std::string_view> names_of(Traits traits) {
  std::vector<std::string_view> names;
  for (int i = 0; i < kTraits; ++i) {
    const auto trait = static_cast<Trait>(i);
    if (traits.has(trait)) names.push_back(name(trait));
  }
  return names;
}

std::string to_string(Traits traits) { return fmt::format("{}", fmt::join(names_of(traits), ",")); }

template <>
std::optional<Traits> named<Traits>(std::string_view text) {
  Traits traits;
  while (!text.empty()) {
    const auto comma = text.find(',');
    const auto trait = named<Trait>(text.substr(0, comma));
    if (!trait) return std::nullopt;
    traits.add(*trait);
    if (comma == std::string_view::npos) return traits;
    text.remove_prefix(comma + 1);
    if (text.empty()) return std::nullopt;
  }
  return traits;
}

}  // namespace assay

#include "profiler/block/traits.h"

#include <algorithm>
#include <array>

namespace assay {
namespace {

constexpr std::array<std::string_view, kTraits> kNames = {
    "split_line",        "split_page", "tlb_reach", "page_aliasing",
    "memory_dependence", "x87_stack",  "subnormal", "input_dependent",
};
static_assert(static_cast<int>(Trait::kInputDependent) + 1 == kTraits);

}  // namespace

std::string_view name(Trait trait) { return kNames.at(static_cast<std::size_t>(trait)); }

std::optional<Trait> trait_named(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Trait>(found - kNames.begin());
}

std::string to_string(Traits traits) {
  std::string text;
  for (int i = 0; i < kTraits; ++i) {
    const auto trait = static_cast<Trait>(i);
    if (!traits.has(trait)) continue;
    if (!text.empty()) text += ',';
    text += name(trait);
  }
  return text;
}

std::optional<Traits> traits_from(std::string_view text) {
  Traits traits;
  while (!text.empty()) {
    const auto comma = text.find(',');
    const auto trait = trait_named(text.substr(0, comma));
    if (!trait) return std::nullopt;
    traits.add(*trait);
    if (comma == std::string_view::npos) return traits;
    text.remove_prefix(comma + 1);
    if (text.empty()) return std::nullopt;
  }
  return traits;
}

}  // namespace assay

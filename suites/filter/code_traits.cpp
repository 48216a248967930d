#include "suites/filter/code_traits.h"

#include <algorithm>
#include <array>

namespace assay {
namespace {

constexpr std::array<std::string_view, kCodeTraits> kNames = {
    "input_dependent", "x87_unbalanced", "may_alias", "unsupported", "refused"};
static_assert(static_cast<int>(CodeTrait::kRefused) + 1 == kCodeTraits);

std::optional<CodeTraits> traits_named(std::string_view word) {
  if (word == kUicaTraits) return CodeTraits().set();
  const auto trait = value_named<CodeTrait>(kNames, word);
  if (!trait) return std::nullopt;
  return CodeTraits().set(static_cast<std::size_t>(*trait));
}

}  // namespace

std::string_view name(CodeTrait trait) { return kNames.at(static_cast<std::size_t>(trait)); }

std::string to_string(CodeTraits traits) {
  std::string text;
  for (std::size_t i = 0; i < traits.size(); ++i) {
    if (!traits[i]) continue;
    if (!text.empty()) text += ", ";
    text += kNames[i];
  }
  return text;
}

template <>
std::optional<CodeTraits> named<CodeTraits>(std::string_view list) {
  CodeTraits traits;
  while (true) {
    const std::size_t comma = list.find(',');
    const auto found = traits_named(list.substr(0, comma));
    if (!found) return std::nullopt;
    traits |= *found;
    if (comma == std::string_view::npos) return traits;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace assay

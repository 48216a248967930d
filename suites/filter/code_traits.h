#pragma once

#include <bitset>
#include <optional>
#include <string>
#include <string_view>

#include "profiler/support/named.h"

namespace assay {

/// What blocks are filtered by: what their code alone shows, before anything is run. Not to be
/// mixed up with Trait (profiler/block/traits.h), most of which a traced run shows; the one that
/// both have, input_dependent, is the same.
enum class CodeTrait {
  kInputDependent,  ///< see is_input_dependent() (profiler/block/input_dependence.h)
  kX87Unbalanced,   ///< see unbalances_x87_stack() (profiler/block/x87_stack.h)
  kMayAlias,        ///< see may_alias() (profiler/block/may_alias.h)
  kUnsupported,     ///< this machine lacks an instruction set that it uses
  kRefused,         ///< decode() refuses it; it has no other trait then
};
inline constexpr int kCodeTraits = 5;

/// Bit i: CodeTrait i.
using CodeTraits = std::bitset<kCodeTraits>;

inline bool has(CodeTraits traits, CodeTrait trait) {
  return traits[static_cast<std::size_t>(trait)];
}

/// lower_snake_case: "may_alias".
std::string_view name(CodeTrait trait);

/// The names in the list's order, with ", " between; empty for none.
std::string to_string(CodeTraits traits);

/// Names, or kUicaTraits for all of them, with commas between; nothing if one of them is unknown or
/// there is none.
template <>
std::optional<CodeTraits> named<CodeTraits>(std::string_view list);

/// Stands for all traits: a block that has none of them is one that Abel and Reineke, uiCA (ICS
/// 2022), would have kept of BHive's: nothing whose time depends on its inputs, no over- or
/// underflow of the x87 stack, no load that may read through another address what was stored, and
/// only what the machine can run as what it is.
inline constexpr std::string_view kUicaTraits = "uica";

}  // namespace assay

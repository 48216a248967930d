#pragma once

#include <bitset>
#include <optional>
#include <string>
#include <string_view>

#include "profiler/support/named.h"

namespace assay {

/// A trait that a block's code alone shows, before anything is run; corpora are filtered by these.
/// Not to be mixed up with Trait (profiler/block/traits.h), most of which a traced run shows:
/// input_dependent is the only one that both have, and means the same in both.
enum class CodeTrait {
  kInputDependent,  ///< see is_input_dependent() (profiler/block/input_dependence.h)
  kX87Unbalanced,   ///< see unbalances_x87_stack() (profiler/block/x87_stack.h)
  kMayAlias,        ///< see may_alias() (profiler/block/may_alias.h)
  kUnsupported,     ///< this machine lacks an instruction set that the block uses
  kRefused,         ///< decode() refuses the block, which then has no other trait
};
inline constexpr int kCodeTraits = 5;

/// A set of traits: bit i stands for the i-th of CodeTrait.
using CodeTraits = std::bitset<kCodeTraits>;

inline bool has(CodeTraits traits, CodeTrait trait) {
  return traits[static_cast<std::size_t>(trait)];
}

/// The trait's name in lower_snake_case, such as "may_alias".
std::string_view name(CodeTrait trait);

/// The names of the traits in the order of CodeTrait, with ", " between; empty for none.
std::string to_string(CodeTraits traits);

/// Parses names of traits with commas between, of which kUicaTraits stands for all traits; nothing
/// if a name is unknown or there is none.
template <>
std::optional<CodeTraits> named<CodeTraits>(std::string_view list);

/// The name that stands for all traits. A block that has none of them is one that Abel and Reineke,
/// uiCA (ICS 2022), would have kept of BHive's: its time depends on no input, it does not over- or
/// underflow the x87 stack, no load may read through another address what was stored, and the
/// machine can run it as the instructions that it is.
inline constexpr std::string_view kUicaTraits = "uica";

}  // namespace assay

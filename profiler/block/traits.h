#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/support/named.h"

namespace assay {

/// What a reader of a block's number should know about the block; some traits are found in its
/// code, some in a traced run, one by several visits. This list is closed. A block that has a trait
/// is rejected for the reason of the same name (verdict.h) if the settings say so.
enum class Trait {
  kSplitLine,         ///< an access crosses a cache line
  kSplitPage,         ///< an access crosses a page
  kCacheReach,        ///< its copies leave the first-level data cache, or may leave it
  kTlbReach,          ///< it touches more pages than the first-level data TLB holds
  kPageAliasing,      ///< a line of a frame is accessed through two pages
  kMemoryDependence,  ///< a load reads what an earlier store of the block wrote
  kX87Stack,          ///< the x87 stack over- or underflows
  kSubnormal,         ///< with FTZ and DAZ off, subnormal operands or results would occur
  kInputDependent,    ///< the time of some instruction depends on its operands' values
  kSeveralStates,     ///< visits found several steady times, one of which is the usual one
};
inline constexpr int kTraits = 10;

/// The trait's name in lower_snake_case, as it is stored.
std::string_view name(Trait trait);
template <>
std::optional<Trait> named<Trait>(std::string_view name);

/// A set of traits.
class Traits {
 public:
  constexpr Traits() = default;
  constexpr Traits(std::initializer_list<Trait> traits) {
    for (const Trait trait : traits) add(trait);
  }
  constexpr void add(Trait trait) { bits_ |= 1U << static_cast<int>(trait); }
  constexpr void remove(Trait trait) { bits_ &= ~(1U << static_cast<int>(trait)); }
  constexpr bool has(Trait trait) const { return bits_ >> static_cast<int>(trait) & 1; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr Traits operator|(Traits other) const { return Traits(bits_ | other.bits_); }
  constexpr Traits operator&(Traits other) const { return Traits(bits_ & other.bits_); }
  constexpr bool operator==(const Traits&) const = default;

 private:
  constexpr explicit Traits(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_ = 0;
};

/// The names of the traits in the set, in the order of the enumeration.
std::vector<std::string_view> names_of(Traits traits);
/// The names of the traits in the set, separated by commas without blanks; empty if there are none.
std::string to_string(Traits traits);
/// Reads a text as from to_string(), with the names in any order; nothing if a name is unknown.
template <>
std::optional<Traits> named<Traits>(std::string_view text);

}  // namespace assay

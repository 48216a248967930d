#include "profiler/codegen/loop_end.h"

#include <array>

namespace assay {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"added", "replaced", "own"};

}  // namespace

std::string_view name(LoopEnd end) { return kNames.at(static_cast<std::size_t>(end)); }

template <>
std::optional<LoopEnd> named<LoopEnd>(std::string_view word) {
  return value_named<LoopEnd>(kNames, word);
}

std::uint64_t LoopBound::value(Iterations turns) const {
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
  const std::uint64_t sum = of_one_turn + per_turn * static_cast<std::uint64_t>(turns.count() - 1);
  return (of_one_turn & ~mask) | (sum & mask);
}

std::uint64_t LoopSentinel::address(Iterations turns) const {
  return of_one_turn + per_turn * static_cast<std::uint64_t>(turns.count() - 1);
}

}  // namespace assay

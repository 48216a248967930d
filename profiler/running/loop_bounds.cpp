#include "profiler/running/loop_bounds.h"

#include <cstdint>
#include <optional>

namespace assay {
namespace {

using Relation = LoopCondition::Relation;

/// How far a value moves from copy to copy; nothing if not always as far.
std::optional<std::int64_t> step(const LoopCondition& condition, std::span<const Compared> compared,
                                 std::uint64_t Compared::*value) {
  const auto moved = [&](std::size_t i) {
    return condition.sign_extended(compared[i].*value - compared[i - 1].*value);
  };
  for (std::size_t i = 2; i < compared.size(); ++i) {
    if (moved(i) != moved(1)) return std::nullopt;
  }
  return moved(1);
}

/// What A less B is in the last turn, in which the condition holds no longer, if it moves by `step`
/// a turn; nothing if it moves away from that.
std::optional<std::int64_t> last_difference(Relation relation, std::int64_t step) {
  switch (relation) {
    case Relation::kNotEqual:
      return 0;
    case Relation::kLess:
    case Relation::kBelow:
      return step > 0 ? std::optional<std::int64_t>(0) : std::nullopt;
    case Relation::kGreater:
    case Relation::kAbove:
      return step < 0 ? std::optional<std::int64_t>(0) : std::nullopt;
    case Relation::kLessOrEqual:
    case Relation::kBelowOrEqual:
      return step > 0 ? std::optional(step) : std::nullopt;
    case Relation::kGreaterOrEqual:
    case Relation::kAboveOrEqual:
      return step < 0 ? std::optional(step) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::vector<LoopBound> possible_bounds(const LoopCondition& condition,
                                       std::span<const Compared> compared,
                                       const InitialState& state) {
  constexpr std::size_t kFewest = 3;  // copies, to compare two steps
  if (compared.size() < kFewest) return {};
  const auto step_a = step(condition, compared, &Compared::a);
  const auto step_b = step(condition, compared, &Compared::b);
  if (!step_a || !step_b || *step_a == *step_b) return {};
  const std::int64_t closer = condition.sign_extended(static_cast<std::uint64_t>(*step_a) -
                                                      static_cast<std::uint64_t>(*step_b));
  const auto last = last_difference(condition.relation, closer);
  if (!last) return {};
  // With one turn, the difference in the first copy would be the last one already.
  const std::uint64_t missing = static_cast<std::uint64_t>(*last) - (compared[0].a - compared[0].b);
  const auto per_turn = static_cast<std::uint64_t>(closer);
  const auto initial = [&](GeneralRegister reg) {
    return state.general[static_cast<std::size_t>(reg)];
  };
  const auto bound = [&](GeneralRegister reg, std::uint64_t change, std::uint64_t further) {
    LoopBound made{
        .reg = reg, .of_one_turn = initial(reg), .per_turn = further, .bits = condition.bits};
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - condition.bits);
    made.of_one_turn = (initial(reg) & ~mask) | ((initial(reg) + change) & mask);
    return made;
  };
  std::vector<LoopBound> bounds;
  const auto add = [&](const LoopCondition::Operand& operand, bool is_a) {
    if (!operand.reg || *operand.reg == GeneralRegister::kRsp) return;
    bounds.push_back(is_a ? bound(*operand.reg, missing, 0 - per_turn)
                          : bound(*operand.reg, 0 - missing, per_turn));
  };
  const bool b_first = *step_b == 0;
  if (b_first) add(condition.b, false);
  add(condition.a, true);
  if (!b_first) add(condition.b, false);
  return bounds;
}

}  // namespace assay

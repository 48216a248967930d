#include "profiler/running/loop_bounds.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
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
    case Relation::kEqual:
      return std::nullopt;  // it would end with the first turn in which they differ
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

/// Loads that move on by as much from copy to copy, as the first copy has them.
struct WalkingLoad {
  std::uint64_t address = 0;
  std::uint64_t distance = 0;
  std::uint64_t size = 0;
};

std::vector<WalkingLoad> walking_loads(std::span<const TracedAccess> accesses) {
  std::vector<WalkingLoad> loads;
  const auto in_copy =
      static_cast<std::size_t>(std::ranges::count(accesses, std::int64_t{0}, &TracedAccess::copy));
  if (in_copy == 0 || accesses.size() % in_copy != 0 || accesses.size() < 3 * in_copy) return loads;
  for (std::size_t i = 0; i < in_copy; ++i) {
    const auto moved = [&](std::size_t at) {
      return accesses[at].address - accesses[at - in_copy].address;
    };
    const std::uint64_t distance = moved(i + in_copy);
    bool walks = accesses[i].read && distance != 0;
    for (std::size_t at = i + in_copy; walks && at < accesses.size(); at += in_copy) {
      walks = moved(at) == distance && accesses[at].instruction == accesses[i].instruction;
    }
    const std::uint64_t size = accesses[i].size;
    const bool fits = size == 1 || size == 2 || size == 4 || size == 8;
    if (walks && fits) loads.push_back({accesses[i].address, distance, size});
  }
  return loads;
}

std::uint64_t of_equal_bytes(std::uint64_t byte) { return (byte & 0xff) * 0x0101'0101'0101'0101; }

/// Values that a load may have to bring for the condition to fail.
std::vector<std::uint64_t> ending_values(Relation relation, const Compared& first) {
  constexpr std::uint64_t kOnes = ~std::uint64_t{0};
  if (relation == Relation::kEqual) return {~first.b};
  if (relation == Relation::kNotEqual) return {first.b, first.a};
  return {0, kOnes};
}

}  // namespace

std::vector<std::uint64_t> possible_words(const LoopCondition& condition,
                                          std::span<const Compared> compared) {
  // Letters, digits and blanks are what loops over strings go on for.
  constexpr std::uint64_t kLetter = 'A';
  constexpr std::uint64_t kDigit = '0';
  if (compared.empty()) return {};
  std::vector<std::uint64_t> words;
  if (condition.relation == Relation::kEqual) {
    const bool a_is_constant = !condition.a.reg && !condition.a.memory;
    words.push_back(of_equal_bytes(a_is_constant ? compared[0].a : compared[0].b));
  }
  for (const std::uint64_t byte : {kLetter, kDigit, std::uint64_t{0}}) {
    words.push_back(of_equal_bytes(byte));
  }
  return words;
}

std::vector<LoopSentinel> possible_sentinels(const LoopCondition& condition, const Trace& trace) {
  const bool goes_on =
      !trace.compared.empty() && std::ranges::all_of(trace.compared, [&](const Compared& values) {
        return condition.holds(values.a, values.b);
      });
  if (!goes_on) return {};
  std::vector<LoopSentinel> sentinels;
  for (const WalkingLoad& load : walking_loads(trace.accesses)) {
    // What a turn loads may be compared in the next one.
    for (const std::uint64_t lag : {0, 1}) {
      for (const std::uint64_t value : ending_values(condition.relation, trace.compared.front())) {
        sentinels.push_back({.of_one_turn = load.address - lag * load.distance,
                             .per_turn = load.distance,
                             .size = static_cast<int>(load.size),
                             .value = value});
      }
    }
  }
  return sentinels;
}

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

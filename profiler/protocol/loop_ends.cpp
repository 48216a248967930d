#include "profiler/protocol/loop_ends.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "profiler/block/control_flow.h"
#include "profiler/block/loop_condition.h"
#include "profiler/block/register_names.h"
#include "profiler/codegen/traced_kernel.h"
#include "profiler/running/loop_bounds.h"

namespace assay {
namespace {

/// Turns by which a bound is tried: more than are traced.
constexpr std::array kTried = {Iterations(2), Iterations(19), Iterations(36)};

/// LOOP is short, and has no longer form.
constexpr std::size_t kLongestShortLoop = 126;

bool turns_are(const std::optional<std::vector<std::int64_t>>& turns,
               std::span<const Iterations> sizes) {
  return turns && std::ranges::equal(*turns, sizes, {}, {}, &Iterations::count);
}

bool ends_in_jump(const Block& block) {
  const Instruction& last = block.instructions.back();
  const auto flow = control_flow(std::span(block.bytes).subspan(last.offset, last.length));
  return flow && flow->kind == FlowKind::kJump;
}

/// Tries to end a loop by its own branch.
class OwnEnd {
 public:
  OwnEnd(LoadedBlock& loaded, const LoopCondition& condition, const LoopShape& shape)
      : loaded_(loaded), condition_(condition) {
    shape_.end = LoopEnd::kOwn;
    shape_.alignment = shape.alignment;
  }

  /// The shape with which it turns as often as it is to; nothing if none is found.
  std::optional<LoopShape> find() {
    const std::uint64_t usual = loaded_.given_state().memory_word;
    loaded_.fill_memory_with(usual);
    const auto trace = traced();
    if (!trace) return std::nullopt;
    for (const LoopBound& bound : possible_bounds(condition_, trace->compared, loaded_.state())) {
      if (is_given(name(bound.reg))) continue;
      shape_.bound = bound;
      if (turns()) return shape_;
    }
    shape_.bound.reset();
    if (find_sentinel(*trace)) return shape_;
    if (is_given("mem")) return std::nullopt;
    for (const std::uint64_t word : possible_words(condition_, trace->compared)) {
      loaded_.fill_memory_with(word);
      const auto other = traced();
      if (other && find_sentinel(*other)) return shape_;
    }
    loaded_.fill_memory_with(usual);
    return std::nullopt;
  }

 private:
  /// Whether a user asked for a value of this register, or of memory: it stays as it is.
  bool is_given(std::string_view place) const {
    return loaded_.given_state().name.find(fmt::format(" {}=", place)) != std::string::npos;
  }

  std::optional<Trace> traced() {
    const auto made =
        trace_kernel(loaded_.block(), loaded_.state(), loaded_.trace_address(), condition_);
    const auto* const kernel = std::get_if<TracedKernel>(&made);
    if (kernel == nullptr) return std::nullopt;
    TraceRun run = loaded_.trace(*kernel);
    if (run.fault) return std::nullopt;
    return std::move(run.trace);
  }

  bool find_sentinel(const Trace& trace) {
    for (const LoopSentinel& sentinel : possible_sentinels(condition_, trace)) {
      shape_.sentinel = sentinel;
      if (turns()) return true;
    }
    shape_.sentinel.reset();
    return false;
  }

  bool turns() { return turns_are(loaded_.count_turns(shape_, kTried), kTried); }

  LoadedBlock& loaded_;
  const LoopCondition& condition_;
  LoopShape shape_;
};

Outcome no_such_end(LoopEndChoice choice) {
  return {Reason::kLoopEnd,
          choice == LoopEndChoice::kOwn
              ? "no initial values are known with which its own branch ends it"
              : "its branch does not follow a compare of registers and constants"};
}

/// Replaces the block's own compare and branch, or adds another one.
std::optional<Outcome> end_by_counter(const Block& block, LoopEndChoice choice, LoopShape& shape) {
  const auto condition = loop_condition(block);
  const bool replaceable = ends_in_jump(block) || (condition && condition->only_compares);
  shape.bound.reset();
  shape.sentinel.reset();
  shape.end = replaceable && choice != LoopEndChoice::kAdded ? LoopEnd::kReplaced : LoopEnd::kAdded;
  if (choice != LoopEndChoice::kReplaced || replaceable) return std::nullopt;
  return no_such_end(choice);
}

}  // namespace

std::optional<Outcome> find_loop_end(LoadedBlock& loaded, LoopEndChoice choice, Plan& plan) {
  const Block& block = loaded.block();
  plan.end_is_open = false;
  const auto condition = loop_condition(block);
  const bool reaches = condition && (condition->setter + 1 < block.instructions.size() ||
                                     block.bytes.size() <= kLongestShortLoop);
  const bool may_be_own = choice == LoopEndChoice::kAuto || choice == LoopEndChoice::kOwn;
  if (may_be_own && reaches) {
    if (const auto shape = OwnEnd(loaded, *condition, plan.loop).find()) {
      plan.loop = *shape;
      return std::nullopt;
    }
  }
  return give_up_own_end(loaded, choice, plan);
}

std::optional<Outcome> give_up_own_end(LoadedBlock& loaded, LoopEndChoice choice, Plan& plan) {
  if (choice == LoopEndChoice::kOwn) return no_such_end(choice);
  loaded.fill_memory_with(loaded.given_state().memory_word);
  return end_by_counter(loaded.block(), choice, plan.loop);
}

bool turns_as_planned(LoadedBlock& loaded, const Plan& plan) {
  if (plan.notion != Notion::kLooped || plan.loop.end != LoopEnd::kOwn) return true;
  const bool as_planned = turns_are(loaded.count_turns(plan.loop, plan.sizes), plan.sizes);
  loaded.load(plan, 1);
  return as_planned;
}

InitialState state_of_largest_size(const InitialState& state, const Plan& plan) {
  InitialState largest = state;
  if (const auto& bound = plan.loop.bound) {
    largest.general[static_cast<std::size_t>(bound->reg)] = bound->value(plan.sizes.back());
  }
  return largest;
}

}  // namespace assay

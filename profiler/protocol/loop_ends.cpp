#include "profiler/protocol/loop_ends.h"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>
#include <vector>

#include "profiler/block/control_flow.h"
#include "profiler/block/loop_condition.h"
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

/// The bound by which the block's own branch ends the loop; nothing if none is found.
std::optional<LoopBound> find_bound(LoadedBlock& loaded, const LoopCondition& condition,
                                    const LoopShape& shape) {
  const Block& block = loaded.block();
  const auto made = trace_kernel(block, loaded.state(), loaded.trace_address(), condition);
  const auto* const kernel = std::get_if<TracedKernel>(&made);
  if (kernel == nullptr) return std::nullopt;
  const TraceRun run = loaded.trace(*kernel);
  if (run.fault) return std::nullopt;
  for (const LoopBound& bound : possible_bounds(condition, run.trace.compared, loaded.state())) {
    const LoopShape own = {.end = LoopEnd::kOwn, .bound = bound, .alignment = shape.alignment};
    if (turns_are(loaded.count_turns(own, kTried), kTried)) return bound;
  }
  return std::nullopt;
}

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
    if (const auto bound = find_bound(loaded, *condition, plan.loop)) {
      plan.loop.end = LoopEnd::kOwn;
      plan.loop.bound = bound;
      return std::nullopt;
    }
  }
  return give_up_own_end(block, choice, plan);
}

std::optional<Outcome> give_up_own_end(const Block& block, LoopEndChoice choice, Plan& plan) {
  if (choice == LoopEndChoice::kOwn) return no_such_end(choice);
  return end_by_counter(block, choice, plan.loop);
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

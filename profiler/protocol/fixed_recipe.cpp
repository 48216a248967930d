#include "profiler/protocol/fixed_recipe.h"

#include <algorithm>

namespace assay {
namespace {

// The first run after other code takes up to twice as long as those that follow (interleaved_round
// in round.h). The tools need fewer warm-up runs, because nothing else runs between two of theirs.
constexpr int kWarmUps = 2;

constexpr std::string_view kUseAssay =
    "the protocol assay averages over the phases of the clock's step";

/// The candidates for the number of copies at the smaller size.
std::vector<Copies> candidates(const FixedRecipe& recipe, std::int64_t instructions) {
  if (recipe.target_instructions == 0) return recipe.copies;
  return {copies_making(recipe.target_instructions, instructions)};
}

}  // namespace

FixedRecipe uica_recipe() {
  FixedRecipe recipe;
  recipe.name = "uica";
  recipe.target_instructions = 500;
  recipe.warm_ups = kWarmUps;
  recipe.runs = 100;
  recipe.trim = 0.2;
  recipe.aggregate = Aggregate::kMedian;
  recipe.stability = StabilityRule::kSpread;
  recipe.bound = 0.02;
  recipe.advice = kUseAssay;
  return recipe;
}

FixedRecipe bhive_recipe() {
  FixedRecipe recipe;
  recipe.name = "bhive";
  recipe.copies = {Copies(100), Copies(50), Copies(16)};
  recipe.warm_ups = kWarmUps;
  recipe.runs = 16;
  recipe.repetitions = 5;
  recipe.aggregate = Aggregate::kMinimum;
  recipe.stability = StabilityRule::kVariation;
  recipe.bound = 0.1;
  recipe.advice = kUseAssay;
  return recipe;
}

FixedRecipe nanobench_recipe(const NanobenchOptions& options) {
  FixedRecipe recipe;
  recipe.name = "nanobench";
  recipe.copies = {Copies(options.unroll)};
  recipe.iterations = Iterations(options.loop);
  recipe.warm_ups = options.warm_up;
  recipe.runs = options.runs;
  recipe.trim = options.aggregate == Aggregate::kMean ? 0.2 : 0;
  recipe.aggregate = options.aggregate;
  recipe.bound = 0.01;
  recipe.advice = "more copies, by --unroll or --loop, resolve more";
  return recipe;
}

std::variant<Plan, Outcome> plan_fixed(const FixedRecipe& recipe, const Block& block, Notion notion,
                                       const Settings& settings, std::size_t cache_size) {
  const auto instructions = static_cast<std::int64_t>(block.instructions.size());
  const std::vector<Copies> choices = candidates(recipe, instructions);
  Plan plan;
  if (notion == Notion::kLooped) {
    plan.notion = Notion::kLooped;
    const bool own_loop = recipe.iterations.count() > 0;
    const Iterations n = own_loop ? recipe.iterations : Iterations(choices.front().count());
    plan.body = own_loop ? choices.front()
                         : copies_making(std::max(settings.loop_min_instructions, 1), instructions);
    plan.sizes = {n, n * 2};
    if (auto refusal = no_room(block, plan.body, cache_size)) return *refusal;
    return plan;
  }
  for (const Copies copies : choices) {
    if (no_room(block, copies * 2, cache_size)) continue;
    const Iterations n(copies.count());
    plan.sizes = {n, n * 2};
    return plan;
  }
  return no_room(block, choices.back() * 2, cache_size).value();
}

}  // namespace assay

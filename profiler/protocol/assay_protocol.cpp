#include "profiler/protocol/assay_protocol.h"

#include <algorithm>

#include "profiler/machine/features.h"
#include "profiler/protocol/assay_plan.h"
#include "profiler/protocol/assay_sampling.h"
#include "profiler/sampling/series_plan.h"
#include "profiler/support/cache_line.h"

namespace assay {
namespace {

/// The fewest instructions at the largest size: readings of less say little about a copy.
bool too_few_instructions(const Plan& plan, const Block& block) {
  constexpr std::int64_t kFewest = 64;
  return plan.most_copies().count() * static_cast<std::int64_t>(block.instructions.size()) <
         kFewest;
}

constexpr Cycles kLongRun(8'000);    // takes some microseconds
constexpr Cycles kLongLoop(32'000);  // of which a loop may need a part to come to its usual state

/// Shortens the plan if then each page of the block has a frame of its own, and prepares the block
/// again; else leaves the plan as it was.
void fit_to_frames(LoadedBlock& loaded, Plan& plan, LoadedBlock::Prepared& prepared) {
  const int frames = loaded.state().frames;
  if (!loaded.state().pages_share_frames() || loaded.pages() <= frames) return;
  const double share = 0.9 * frames / loaded.pages();
  const Plan shorter = shortened(plan, loaded.block(), share);
  if (shorter.sizes == plan.sizes) return;
  const Plan longer = plan;
  plan = shorter;
  loaded.reload(plan, true);
  prepared = loaded.prepare();
  if (prepared.fault || loaded.pages() <= frames) return;
  plan = longer;
  loaded.reload(plan, false);
  prepared = loaded.prepare();
}

/// The pass that a visit begins with. Each visit has sizes and leads of its own: what the time of
/// some sizes is off a straight line, always by the same, would else be in all of them.
std::uint32_t first_pass_of(int visit) {
  // Odd, so that visits begin with all leads; and their sizes are spread evenly.
  constexpr std::uint32_t kPasses = 13;
  return kPasses * static_cast<std::uint32_t>(visit - 1);
}

/// The part of the first-level data cache that copies may fill. Caches do not replace the line that
/// was used longest ago, but about that. With lines that are stored to, the first ones are gone
/// before all ways are full. (Granite Rapids, of 12 ways: stores over distinct lines take 1.0
/// cycles each up to eight of a set, and 2.1 from there on; loads are fast up to 11.)
CacheShape usable(const CacheShape& cache) {
  return {.sets = cache.sets, .ways = cache.ways * 2 / 3};
}

}  // namespace

std::variant<Plan, Outcome> AssayProtocol::plan(const Block& block, Notion notion) const {
  auto planned = make_plan(block, notion, settings_, cache_size_);
  auto* const plan = std::get_if<Plan>(&planned);
  if (plan != nullptr && notion == Notion::kUnrolled) {
    const Features& core = features();
    auto instructions = static_cast<std::int64_t>(block.instructions.size());
    if (core.wide_take_two) instructions += block.wide_instructions;
    const auto size = static_cast<std::int64_t>(block.bytes.size());
    std::int64_t fed = std::min(core.fed_instructions / instructions, core.fed_bytes / size);
    if (core.fed_branches > 0 && block.final_branch) fed = std::min(fed, core.fed_branches);
    if (core.returns_drain && block.demand.stores > 0) plan->first_stores = FirstStores::kMayBeHeld;
    if (core.fed_instructions > 0) {
      plan->fed_alike = Copies(std::max(fed, std::int64_t{1}));
      plan->copy_bytes = size;
    }
  }
  const bool ends_in_branch =
      settings_.loop_end == LoopEndChoice::kOwn || settings_.loop_end == LoopEndChoice::kReplaced;
  if (plan == nullptr || notion != Notion::kLooped || !ends_in_branch || plan->end_is_open) {
    return planned;
  }
  return Outcome{Reason::kLoopEnd, block.final_branch
                                       ? "there are several copies in the body of the loop"
                                       : "it does not end in a branch"};
}

std::optional<Plan> AssayProtocol::longer(const Plan& plan) const {
  // Elsewhere, the step into another page costs more than copies (Workbench::within_one_page).
  if (plan.notion == Notion::kLooped || !features().pages_are_alike) return std::nullopt;
  if (plan.fed_alike > Copies()) return filling_front_end(plan);
  return doubled(plan);
}

bool AssayProtocol::fit_to_cache(LoadedBlock& loaded, Plan& plan) const {
  if (loaded.state().pages_share_frames()) return false;
  // Runs also store to assay's own memory: the subject's stack, and two pages of its control area.
  constexpr int kOwnPages = 4;
  const DataReach room = {.cache = usable(reach_.cache),
                          .pages = std::max(reach_.pages - kOwnPages, 1),
                          .stored_pages = std::max(reach_.stored_pages - kOwnPages, 1)};
  const Copies wanted = plan.most_copies();
  const Copies within = loaded.copies_within(room, wanted * 2);
  if (within == wanted * 2) return false;
  plan.within_cache = within;
  if (within >= wanted) return false;
  if (plan.raised > 0) return true;
  // To end with the same alignment, sizes may be an eighth larger than they have to be.
  for (const double reserve : {1.0, 8.0 / 9}) {
    const Plan shorter = shortened(plan, loaded.block(), reserve * within.real() / wanted.real());
    if (shorter.most_copies() > within) continue;
    if (too_few_instructions(shorter, loaded.block())) return true;
    plan = shorter;
    loaded.reload(plan, true);
    return false;
  }
  return true;
}

bool AssayProtocol::strays(const LoadedBlock& loaded) const {
  return !loaded.state().pages_share_frames() &&
         loaded.unforeseen_pages() > pages_held(usable(reach_.cache));
}

/// Shortens the plan of a block that strays, and prepares the block again.
void AssayProtocol::fit_to_pages(LoadedBlock& loaded, Plan& plan,
                                 LoadedBlock::Prepared& prepared) const {
  // Fewer copies need not go to fewer pages in the same measure.
  constexpr int kMostTries = 3;
  for (int i = 0; i < kMostTries && !prepared.fault && strays(loaded); ++i) {
    const double share = 0.9 * pages_held(usable(reach_.cache)) / loaded.pages();
    const Plan shorter = shortened(plan, loaded.block(), share);
    if (shorter.sizes == plan.sizes || too_few_instructions(shorter, loaded.block())) return;
    plan = shorter;
    plan.within_cache = plan.most_copies();
    loaded.reload(plan, true);
    prepared = loaded.prepare();
  }
}

void AssayProtocol::fit(LoadedBlock& loaded, Plan& plan, LoadedBlock::Prepared& prepared,
                        CyclesPerReading ratio) const {
  // Only a first plan is shortened: one that was raised keeps its sizes, or is longer on purpose.
  if (plan.raised > 0) return;
  fit_to_frames(loaded, plan, prepared);
  fit_to_pages(loaded, plan, prepared);
  if (prepared.fault) return;
  const Cycles longest = ratio * prepared.largest;
  const Cycles most = plan.notion == Notion::kLooped ? kLongLoop : kLongRun;
  if (longest <= most) return;
  plan = shortened(plan, loaded.block(), most / longest);
  loaded.load(plan, 1);
  prepared = loaded.prepare();
}

std::optional<Plan> AssayProtocol::raised(const Plan& plan, Reason reason) const {
  if (reason != Reason::kNoSteadyState && reason != Reason::kBelowLimit) return std::nullopt;
  if (reason == Reason::kBelowLimit && plan.first_stores == FirstStores::kMayBeHeld) {
    return held(plan);
  }
  return assay::raised(plan);
}

std::vector<Plan> AssayProtocol::elsewhere(const Plan& plan, const Block& block) const {
  constexpr auto kLine = static_cast<int>(kCacheLine);
  constexpr int kStep = 8;  // compilers align loops to 8 bytes at least, where they do
  std::vector<Plan> plans;
  if (!is_loop_by_itself(plan, block)) return plans;
  for (int offset = 0; offset < kLine; offset += kStep) {
    if (offset == plan.loop.alignment) continue;
    plans.push_back(plan);
    plans.back().loop.alignment = offset;
  }
  return plans;
}

bool AssayProtocol::settles(const Measurement& visit) const {
  // However narrow a visit's interval is, some states of a core and of its subject last as long as
  // the visit: what two of them found in different subjects is known.
  return !visit.outcome.measured() && !may_pass(visit.outcome.reason);
}

std::unique_ptr<Sampling> AssayProtocol::sampling(const PlannedRuns& runs, Companions& companions,
                                                  int visit) const {
  constexpr int kMostBudgets = 4;
  // What samples of a plan do not show soon, a larger plan may show sooner. (What scatters has no
  // larger plan to go to; but with more time, blocks that are half slower in a tenth of their runs
  // would get a mean of both for their value: SyntheticMachine.)
  const int budgets = assay::raised(runs.plan) ? 1 : std::min(visit, kMostBudgets);
  const auto planner = [plan = runs.plan, times = runs.times, method = runs.method, &companions,
                        this](double run_variance) {
    return plan_series(plan, times, run_variance, companions.value_scatter().freedom(), settings_,
                       method);
  };
  const double usual = usual_run_variance(companions.ratio().value() * companions.step().part);
  return std::make_unique<AssaySampling>(planner, usual, runs.plan, runs.floor, settings_,
                                         companions, settings_.sampling_budget * budgets,
                                         first_pass_of(visit));
}

}  // namespace assay

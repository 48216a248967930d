#include "profiler/protocol/assay_plan.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "profiler/support/rounding.h"

namespace assay {
namespace {

// Code must lie within a page (Workbench::within_one_page), and run from the micro-op cache without
// a single miss: from the first miss on, code without taken branches is fed by the decoders. What
// fits into a page does.
constexpr std::int64_t kLargestCode = 4096;
// Of a loop, at its smallest size. Some loops take another time for up to a thousand iterations,
// in some of their runs. (Granite Rapids: `mov rdx, [rax + 8]; mov rcx, [rax + 832]; mov [r12],
// rdx; mov [r12 + 8], rcx; cmp byte ptr [rdx], 0` takes 1.28 cycles a copy in a third of visits up
// to then, and 1.05 in all behind.)
constexpr std::int64_t kFewestIterations = 1024;
constexpr int kTimesTarget = 4;  // the instructions that they make, in those of straight-line code
constexpr std::int64_t kLargest = 3;    // the largest size, in smallest ones
constexpr std::int64_t kMostOfOne = 4;  // the most copies, where n is 1 for want of room

/// About `wanted` copies of `size` bytes, and at most `most`, of which as many begin at the same
/// alignment as end there: at a multiple of 64 bytes, or of a smaller power of two if that would
/// make them an eighth more, or a third fewer. Cores fetch code in aligned pieces, and the first
/// and the last piece cost the same at all sizes only if all sizes begin and end with the same
/// alignment (Granite Rapids: up to 8 cycles more at some alignments to 32 bytes).
std::int64_t end_aligned(std::int64_t wanted, std::int64_t most, std::int64_t size) {
  const std::int64_t room = std::min(wanted, most);
  for (std::int64_t alignment = 64;; alignment /= 2) {
    const std::int64_t unit = alignment / std::gcd(alignment, size);
    const std::int64_t more = rounded_up(wanted, unit);
    if (more <= most && 8 * more <= 9 * wanted) return more;
    const std::int64_t fewer = room - room % unit;
    if (3 * fewer >= 2 * room) return fewer;
  }
}

// A run of straight-line code executes each of its instructions once. So it takes many runs until a
// core knows all of its loads: which store they come from, and which they may overtake. On an
// Emerald Rapids, `add dword ptr [rdi + 132], 1` takes 1.0 cycles then, and up to 20 before; eight
// runs are too few for many blocks, and 16 are enough for most.
constexpr int kManyWarmUps = 16;

std::vector<Iterations> three_sizes(std::int64_t n) {
  return {Iterations(n), Iterations(2 * n), Iterations(kLargest * n)};
}

/// By how much the unit of sizes is staggered: at the last of eight alignments, it is a quarter to
/// a third smaller. Not at all if it is too small for that.
Copies stagger_of(std::int64_t unit) {
  constexpr std::int64_t kFewest = 20;
  constexpr std::int64_t kSteps = 24;
  return Copies(unit < kFewest ? 0 : std::max(unit / kSteps, std::int64_t{1}));
}

/// The plan with sizes of these many parts, the last of which is all of `most` copies, but for a
/// rest. They are staggered. Nothing if it begins no later than the plan, unless that is a first
/// one.
std::optional<Plan> of_parts(const Plan& plan, Copies most,
                             const std::array<std::int64_t, 3>& parts) {
  const std::int64_t part = most.count() / parts.back();
  const bool is_later = parts.front() * part > plan.fewest_copies().count();
  if (part == 0 || (plan.raised > 0 && !is_later)) return std::nullopt;
  Plan cut = plan;
  for (std::size_t i = 0; i < parts.size(); ++i) cut.sizes[i] = Iterations(parts[i] * part);
  cut.stagger = stagger_of(part);
  return cut;
}

}  // namespace

std::variant<Plan, Outcome> make_plan(const Block& block, Notion notion, const Settings& settings,
                                      std::size_t cache_size) {
  const auto instructions = static_cast<std::int64_t>(block.instructions.size());
  const auto size = static_cast<std::int64_t>(block.bytes.size());
  Plan plan;
  plan.notion = notion;
  Copies in_code(kMostOfOne);  // the fewest copies that the largest size can have
  if (notion == Notion::kLooped) {
    plan.body = copies_making(std::max(settings.loop_min_instructions, 1), instructions);
    const Copies iterations = copies_making(kTimesTarget * settings.target_instructions,
                                            plan.body.count() * instructions);
    plan.sizes = three_sizes(std::max(kFewestIterations, iterations.count()));
    plan.warm_ups = 1;  // it warms up itself
    plan.loop.alignment = settings.loop_alignment;
    plan.end_is_open = is_loop_by_itself(plan, block);
    in_code = plan.body;
  } else {
    const Copies wanted = copies_making(settings.target_instructions, instructions);
    const std::int64_t most = std::max(kLargestCode / size / kLargest, std::int64_t{1});
    plan.sizes = three_sizes(end_aligned(wanted.count(), most, size));
    // Copies that are all unlearned alike would look steady.
    if (block.demand.loads > 0 && block.demand.stores > 0) plan.warm_ups = kManyWarmUps;
  }
  if (auto refusal = no_room(block, in_code, cache_size)) return *refusal;
  return plan;
}

namespace {

/// The plan whose sizes are `first` and the two next of equal parts of what the cache holds, the
/// largest of which fills it. Nothing if it begins no later than the plan.
std::optional<Plan> filling_cache(const Plan& plan, std::int64_t first) {
  const std::int64_t n = plan.sizes[0].count();
  const std::int64_t parts = first + 2;
  const std::int64_t room = plan.within_cache.count() / plan.body.count() / parts;
  // The sizes of the plan begin and end with one alignment. So do these, if they are a multiple of
  // the same powers of two; of fewer, where that would leave an eighth of the cache unused.
  std::int64_t unit = std::gcd(n, std::int64_t{64});
  while (8 * (room - room % unit) < 7 * room) unit /= 2;
  const std::int64_t part = room - room % unit;
  if (first * part <= n) return std::nullopt;
  Plan late = plan;
  late.sizes = {Iterations(first * part), Iterations((first + 1) * part), Iterations(parts * part)};
  if (plan.stagger > Copies()) late.stagger = stagger_of(part);
  return late;
}

/// The next plan that fills the cache: it begins at half of it or, if the plan does that or begins
/// later, at two thirds.
std::optional<Plan> latest_within_cache(const Plan& plan) {
  if (auto late = filling_cache(plan, 2)) return late;
  return filling_cache(plan, 4);
}

}  // namespace

bool is_loop_by_itself(const Plan& plan, const Block& block) {
  return plan.notion == Notion::kLooped && block.final_branch && plan.body == Copies(1);
}

std::optional<Plan> raised(const Plan& plan) {
  const bool walks = plan.within_cache > Copies();
  const int most_raises = plan.notion == Notion::kLooped ? 5 : walks ? 4 : 2;
  Plan larger = plan;
  ++larger.raised;
  if (plan.notion == Notion::kUnrolled && plan.warm_ups < kManyWarmUps) {
    larger.warm_ups = kManyWarmUps;
    return larger;
  }
  if (larger.raised > most_raises) return std::nullopt;
  if (plan.fed_alike > Copies() && plan.most_copies() * 2 > plan.fed_alike) {
    return of_parts(larger, plan.most_copies(), {2, 3, 4});
  }
  if (auto twice = doubled(larger)) {
    larger = *std::move(twice);
  } else {  // there may be no room for more copies
    larger.sizes = {Iterations(2), Iterations(3), Iterations(kMostOfOne)};
  }
  if (!walks || larger.most_copies() <= plan.within_cache) return larger;
  larger.sizes = plan.sizes;
  return latest_within_cache(larger);
}

std::optional<Plan> doubled(const Plan& plan) {
  if (plan.sizes[0] == Iterations(1)) return std::nullopt;
  Plan larger = plan;
  for (Iterations& size : larger.sizes) size = size * 2;
  larger.stagger = plan.stagger * 2;
  return larger;
}

std::optional<Plan> filling_front_end(const Plan& plan) {
  if (plan.notion == Notion::kLooped || plan.fed_alike == Copies()) return std::nullopt;
  constexpr std::int64_t kWhole = 20;  // so that raised() can cut it anew without a rest
  const std::int64_t most = plan.fed_alike.count() - plan.fed_alike.count() % kWhole;
  auto filling = of_parts(plan, Copies(most), {1, 3, 5});
  const bool is_longer = filling && filling->most_copies() > plan.most_copies();
  return is_longer ? filling : std::nullopt;
}

Plan shortened(const Plan& plan, const Block& block, double share) {
  constexpr std::int64_t kFewest = 4;
  const std::int64_t unit = plan.unit().count();
  Plan shorter = plan;
  auto wanted = std::max(static_cast<std::int64_t>(static_cast<double>(unit) * share), kFewest);
  if (plan.notion == Notion::kUnrolled && plan.stagger == Copies()) {
    wanted =
        end_aligned(wanted, std::max(unit, wanted), static_cast<std::int64_t>(block.bytes.size()));
  }
  wanted = std::clamp(wanted, std::min(unit, kFewest), unit);
  for (Iterations& size : shorter.sizes) size = Iterations(size.count() / unit * wanted);
  if (plan.stagger > Copies()) shorter.stagger = stagger_of(wanted);
  return shorter;
}

}  // namespace assay

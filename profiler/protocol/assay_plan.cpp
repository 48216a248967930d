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

/// By how much sizes are staggered of which the smallest has so many copies: at the last of eight
/// alignments, it is 20 to 39 % smaller, in the first pass over them. Not at all if it is too small
/// for that.
Copies stagger_of(std::int64_t least) {
  constexpr std::int64_t kFewest = 20;
  constexpr std::int64_t kSteps = 24;
  return Copies(least < kFewest ? 0 : (least + kSteps / 2) / kSteps);
}

using Parts = std::array<std::int64_t, 3>;

/// How many copies there are from the smallest size to the largest, and to the middle one.
struct Distances {
  std::int64_t to_largest = 0;
  std::int64_t to_middle = 0;
};

/// Distances that are those of so many parts of the room, or somewhat less: multiples of the
/// period, or of a half of it, a quarter and so on where there is no room for two, or where that
/// would shorten them by more than a quarter.
Distances of_one_place(std::int64_t period, std::int64_t room, const Parts& parts) {
  const std::int64_t wanted = room * (parts.back() - parts.front()) / parts.back();
  for (std::int64_t unit = period;; unit /= 2) {
    const std::int64_t all = wanted - wanted % unit;
    if (unit == 1 || (all >= 2 * unit && 4 * all >= 3 * wanted))
      return {all, all / unit / 2 * unit};
  }
}

/// The plan whose sizes are so many equal parts of what there is room for. Where a plan has places
/// (copy_bytes), they are about that, begin at one place, and are staggered; else they begin and
/// end with one alignment, if those of the plan do, or with more where that would leave an eighth
/// of the room unused. Nothing if there is no room for a copy or an iteration in each part.
std::optional<Plan> of_parts(const Plan& plan, Iterations room, const Parts& parts) {
  const std::int64_t largest = room.count() / parts.back();
  if (largest == 0) return std::nullopt;
  Plan cut = plan;
  if (plan.copy_bytes > 0) {
    const auto [all, first] = of_one_place(plan.period().count(), room.count(), parts);
    const std::int64_t least = room.count() - all;
    cut.sizes = {Iterations(least), Iterations(least + first), Iterations(room)};
    cut.stagger = stagger_of(least);
    return cut;
  }
  std::int64_t unit = std::gcd(plan.unit().count(), std::int64_t{64});
  while (8 * (largest - largest % unit) < 7 * largest) unit /= 2;
  const std::int64_t part = largest - largest % unit;
  for (std::size_t i = 0; i < parts.size(); ++i) cut.sizes[i] = Iterations(parts[i] * part);
  return cut;
}

/// How many copies or iterations there may be at the largest size, if that is known.
std::optional<Iterations> room_of(const Plan& plan) {
  const std::int64_t within = plan.within_cache.count();
  const std::int64_t fed = plan.fed_alike.count();
  if (within == 0 && fed == 0) return std::nullopt;
  const std::int64_t copies = within == 0 || fed == 0 ? within + fed : std::min(within, fed);
  return Iterations(copies / plan.body.count());
}

constexpr Parts kFromFifth = {1, 3, 5};
constexpr Parts kFromHalf = {2, 3, 4};
constexpr Parts kFromTwoThirds = {4, 5, 6};

/// The next plan that fills the room there is: it begins at half of it or, if the plan does that or
/// begins later, at two thirds.
std::optional<Plan> filling(const Plan& plan, Iterations room) {
  for (const Parts& parts : {kFromHalf, kFromTwoThirds}) {
    auto late = of_parts(plan, room, parts);
    if (late && late->fewest_copies() > plan.fewest_copies()) return late;
  }
  return std::nullopt;
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

bool is_loop_by_itself(const Plan& plan, const Block& block) {
  return plan.notion == Notion::kLooped && block.final_branch && plan.body == Copies(1);
}

std::optional<Plan> raised(const Plan& plan) {
  const int most_raises = plan.notion == Notion::kLooped ? 5 : plan.walks() ? 4 : 2;
  Plan larger = plan;
  ++larger.raised;
  if (plan.notion == Notion::kUnrolled && plan.warm_ups < kManyWarmUps) {
    larger.warm_ups = kManyWarmUps;
    return larger;
  }
  if (larger.raised > most_raises) return std::nullopt;
  if (auto twice = doubled(larger)) {
    larger = *std::move(twice);
  } else {  // there may be no room for more copies
    larger.sizes = {Iterations(2), Iterations(3), Iterations(kMostOfOne)};
  }
  const auto room = room_of(plan);
  if (!room || larger.sizes.back() <= *room) return larger;
  larger.sizes = plan.sizes;
  larger.stagger = plan.stagger;
  return filling(larger, *room);
}

Plan held(const Plan& plan) {
  Plan held = plan;
  held.first_stores = FirstStores::kHeld;
  if (held.fewest_copies() * 2 >= held.most_copies()) return held;
  return of_parts(held, held.sizes.back(), kFromHalf).value_or(held);
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
  auto filling = of_parts(plan, Iterations(plan.fed_alike.count()), kFromFifth);
  const bool is_longer = filling && filling->most_copies() > plan.most_copies();
  return is_longer ? filling : std::nullopt;
}

Plan shortened(const Plan& plan, const Block& block, double share) {
  constexpr std::int64_t kFewest = 4;
  if (plan.copy_bytes > 0) {
    const std::int64_t most = plan.sizes.back().count();
    const auto wanted = static_cast<std::int64_t>(static_cast<double>(most) * share);
    const std::int64_t room = std::max(wanted, std::min(most, kFewest * kFromFifth.back()));
    return of_parts(plan, Iterations(room), kFromFifth).value_or(plan);
  }
  const std::int64_t unit = plan.unit().count();
  Plan shorter = plan;
  auto wanted = std::max(static_cast<std::int64_t>(static_cast<double>(unit) * share), kFewest);
  if (plan.notion == Notion::kUnrolled) {
    wanted =
        end_aligned(wanted, std::max(unit, wanted), static_cast<std::int64_t>(block.bytes.size()));
  }
  wanted = std::clamp(wanted, std::min(unit, kFewest), unit);
  for (Iterations& size : shorter.sizes) size = Iterations(size.count() / unit * wanted);
  return shorter;
}

}  // namespace assay

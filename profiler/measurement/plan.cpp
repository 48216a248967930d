#include "profiler/measurement/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace assay {
namespace {

// Of the first-level instruction cache, for the kernels that run beside the block's, for what
// frames the copies, and for the program that calls them.
constexpr std::int64_t kReserved = std::int64_t{12} * 1024;
constexpr std::int64_t kLargestCode = std::int64_t{8} * 1024;

constexpr std::int64_t kFewestTurns = 128;

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// The first number of copies from `copies` on that end at a multiple of 64 bytes, or of a smaller
/// power of two where that would make them an eighth more: cores fetch code in aligned pieces, and
/// the first and the last piece cost the same at all sizes only if all begin and end alike.
std::int64_t end_aligned(std::int64_t copies, std::int64_t size) {
  for (std::int64_t alignment = 64;; alignment /= 2) {
    const std::int64_t unit = alignment / std::gcd(alignment, size);
    const std::int64_t rounded = rounded_up(copies, unit);
    if (8 * rounded <= 9 * copies) return rounded;
  }
}

std::vector<std::int64_t> three_sizes(std::int64_t n) { return {n, 2 * n, 4 * n}; }

}  // namespace

std::int64_t copies_making(std::int64_t instructions, std::int64_t in_copy) {
  return (instructions + in_copy - 1) / in_copy;
}

std::optional<Outcome> no_room(const Block& block, std::int64_t copies, std::size_t cache_size) {
  const auto size = static_cast<std::int64_t>(block.bytes.size());
  const std::int64_t room = static_cast<std::int64_t>(cache_size) - kReserved;
  if (copies <= room / size) return std::nullopt;
  return Outcome{Reason::kTooLarge,
                 fmt::format("{} copies of {} bytes are more than the {} bytes of the instruction "
                             "cache that are left for them",
                             copies, size, room)};
}

std::variant<Plan, Outcome> make_plan(const Block& block, Notion notion, const Settings& settings,
                                      std::size_t cache_size) {
  const auto instructions = static_cast<std::int64_t>(block.instructions.size());
  const auto size = static_cast<std::int64_t>(block.bytes.size());
  Plan plan;
  plan.notion = notion;
  std::int64_t in_code = 4;
  if (notion == Notion::kLooped) {
    plan.body_copies = copies_making(std::max(settings.loop_min_instructions, 1), instructions);
    plan.sizes =
        three_sizes(std::max(kFewestTurns, copies_making(2 * settings.target_instructions,
                                                         plan.body_copies * instructions)));
    in_code = plan.body_copies;
  } else {
    plan.sizes = three_sizes(
        std::min(end_aligned(copies_making(settings.target_instructions, instructions), size),
                 std::max<std::int64_t>(kLargestCode / size / 4, 1)));
  }
  if (auto refusal = no_room(block, in_code, cache_size)) return *refusal;
  return plan;
}

std::optional<Plan> raised(const Plan& plan) {
  constexpr int kMostRaises = 5;
  Plan larger = plan;
  ++larger.raised;
  if (plan.notion == Notion::kLooped) {
    if (larger.raised > kMostRaises) return std::nullopt;
    for (std::int64_t& size : larger.sizes) size *= 2;
    return larger;
  }
  if (larger.raised > 1) return std::nullopt;
  const std::int64_t n = plan.sizes[0];
  larger.sizes = {2 * n, 3 * n, 4 * n};
  return larger;
}

Plan shortened(const Plan& plan, const Block& block, double share) {
  constexpr std::int64_t kFewest = 16 / 4;
  Plan shorter = plan;
  const std::int64_t n = plan.sizes[0];
  auto wanted = std::max(static_cast<std::int64_t>(static_cast<double>(n) * share), kFewest);
  if (plan.notion == Notion::kUnrolled) {
    wanted = end_aligned(wanted, static_cast<std::int64_t>(block.bytes.size()));
  }
  shorter.sizes = three_sizes(std::clamp(wanted, std::min(n, kFewest), n));
  return shorter;
}

Demand demand_of(const Block& block, const Plan& plan) {
  if (plan.notion == Notion::kUnrolled) return block.demand;
  const auto copies = static_cast<int>(plan.body_copies);
  const Demand& one = block.demand;
  // An unconditional jump of the last copy is the branch that leads back.
  return {.operations = copies * one.operations + 1,
          .loads = copies * one.loads,
          .stores = copies * one.stores,
          .taken_branches = std::max(copies * one.taken_branches, 1)};
}

double floor_of(const Plan& plan, const Block& block, const MachineLimits& limits) {
  return floor_of(demand_of(block, plan), limits) / static_cast<double>(plan.body_copies);
}

}  // namespace assay

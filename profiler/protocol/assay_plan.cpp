#include "profiler/protocol/assay_plan.h"

#include <algorithm>
#include <numeric>

#include "profiler/support/rounding.h"

namespace assay {
namespace {

constexpr std::int64_t kLargestCode = std::int64_t{8} * 1024;
constexpr std::int64_t kFewestIterations = 64;  // of a loop, at its smallest size
/// The largest size, in smallest ones. Those who have no room for so many have half as many.
constexpr std::int64_t kLargest = 8;

/// The smallest number of copies, at least `copies`, that ends at a multiple of 64 bytes, or of a
/// smaller power of two if that would make them more than an eighth more. Cores fetch code in
/// aligned pieces, and the first and the last piece cost the same at all sizes only if all sizes
/// begin and end with the same alignment.
std::int64_t end_aligned(std::int64_t copies, std::int64_t size) {
  for (std::int64_t alignment = 64;; alignment /= 2) {
    const std::int64_t unit = alignment / std::gcd(alignment, size);
    const std::int64_t rounded = rounded_up(copies, unit);
    if (8 * rounded <= 9 * copies) return rounded;
  }
}

std::vector<Iterations> three_sizes(std::int64_t n, std::int64_t largest = kLargest) {
  return {Iterations(n), Iterations(2 * n), Iterations(largest * n)};
}

}  // namespace

std::variant<Plan, Outcome> make_plan(const Block& block, Notion notion, const Settings& settings,
                                      std::size_t cache_size) {
  const auto instructions = static_cast<std::int64_t>(block.instructions.size());
  const auto size = static_cast<std::int64_t>(block.bytes.size());
  Plan plan;
  plan.notion = notion;
  Copies in_code(kLargest / 2);  // the fewest copies that the largest size can have
  if (notion == Notion::kLooped) {
    plan.body = copies_making(std::max(settings.loop_min_instructions, 1), instructions);
    const Copies iterations =
        copies_making(2 * settings.target_instructions, plan.body.count() * instructions);
    plan.sizes = three_sizes(std::max(kFewestIterations, iterations.count()));
    in_code = plan.body;
  } else {
    const Copies wanted = copies_making(settings.target_instructions, instructions);
    const std::int64_t most = kLargestCode / size / kLargest;
    plan.sizes = most > 0 ? three_sizes(std::min(end_aligned(wanted.count(), size), most))
                          : three_sizes(1, kLargest / 2);
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
    for (Iterations& size : larger.sizes) size = size * 2;
    return larger;
  }
  if (larger.raised > 1) return std::nullopt;
  const Iterations n = plan.sizes[0];
  const Iterations largest = plan.sizes[2];
  larger.sizes = {n * 2, std::min(n * 4, largest - n), largest};
  return larger;
}

Plan shortened(const Plan& plan, const Block& block, double share) {
  constexpr std::int64_t kFewest = 16 / kLargest;
  Plan shorter = plan;
  const std::int64_t n = plan.sizes[0].count();
  auto wanted = std::max(static_cast<std::int64_t>(static_cast<double>(n) * share), kFewest);
  if (plan.notion == Notion::kUnrolled) {
    wanted = end_aligned(wanted, static_cast<std::int64_t>(block.bytes.size()));
  }
  const std::int64_t largest = plan.sizes[2].count() / n;
  shorter.sizes = three_sizes(std::clamp(wanted, std::min(n, kFewest), n), largest);
  return shorter;
}

}  // namespace assay

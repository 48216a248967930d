#include "profiler/protocol/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace assay {
namespace {

// Of the first-level instruction cache, for the kernels that run beside the block's, for what
// frames the copies, and for the program that calls them.
constexpr std::int64_t kReserved = std::int64_t{13} * 1024;

/// The first number of copies from `copies` on that end at a multiple of 32 bytes, or of a smaller
/// power of two where that would make them an eighth more: cores fetch code in aligned pieces, and
/// the last piece costs the same at n and at 2n copies only if both end alike.
std::int64_t end_aligned(std::int64_t copies, std::int64_t size) {
  for (std::int64_t alignment = 32;; alignment /= 2) {
    const std::int64_t unit = alignment / std::gcd(alignment, size);
    const std::int64_t rounded = (copies + unit - 1) / unit * unit;
    if (8 * rounded <= 9 * copies) return rounded;
  }
}

}  // namespace

std::variant<Plan, Refusal> make_plan(const Block& block, const Settings& settings,
                                      std::size_t cache_size) {
  const auto instructions = static_cast<std::int64_t>(block.instructions.size());
  const auto size = static_cast<std::int64_t>(block.bytes.size());
  const auto room = static_cast<std::int64_t>(cache_size) - kReserved;
  const std::int64_t wanted = (settings.target_instructions + instructions - 1) / instructions;
  const std::int64_t fitting = room / (3 * size);  // n and 2n copies
  if (fitting < 1) {
    return Refusal{Reason::kTooLarge,
                   fmt::format("one and two copies of {} bytes are more than the {} bytes of the "
                               "instruction cache that are left for them",
                               size, room),
                   block.instructions.size()};
  }
  const std::int64_t copies = std::min(end_aligned(wanted, size), fitting);
  return Plan{copies, 2 * copies};
}

}  // namespace assay

#include "profiler/measurement/plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay {

Copies copies_making(std::int64_t instructions, std::int64_t in_copy) {
  return Copies((instructions + in_copy - 1) / in_copy);
}

std::optional<Outcome> no_room(const Block& block, Copies copies, std::size_t cache_size) {
  // The reserve is for the kernels that run beside the block's, for the code around the copies, and
  // for the program that calls the kernels.
  constexpr std::int64_t kReserved = std::int64_t{12} * 1024;
  const auto size = static_cast<std::int64_t>(block.bytes.size());
  const std::int64_t room = static_cast<std::int64_t>(cache_size) - kReserved;
  if (copies.count() <= room / size) return std::nullopt;
  return Outcome{Reason::kTooLarge,
                 fmt::format("{} copies of {} bytes are more than the {} bytes of the instruction "
                             "cache that are left for them",
                             copies.count(), size, room)};
}

Demand demand_of(const Block& block, const Plan& plan) {
  if (plan.notion == Notion::kUnrolled) return block.demand;
  const auto copies = static_cast<int>(plan.body.count());
  const Demand& one = block.demand;
  const int added = plan.loop.end == LoopEnd::kAdded ? 1 : 0;  // DEC and its branch are fused
  // If the last copy ends in an unconditional jump, that is the branch that leads back.
  return {.operations = copies * one.operations + added,
          .loads = copies * one.loads,
          .stores = copies * one.stores,
          .taken_branches = std::max(copies * one.taken_branches, 1)};
}

double floor_of(const Plan& plan, const Block& block, const MachineLimits& limits) {
  return floor_of(demand_of(block, plan), limits) / plan.body.real();
}

}  // namespace assay

#include "profiler/measurement/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "profiler/codegen/kernel.h"
#include "profiler/support/evenly_spread.h"

namespace assay {

namespace {

constexpr std::size_t kPlaceStep = 8;  // compilers align code to 8 bytes at least, where they do
constexpr std::int64_t kPlaces = Plan::kPiece / kPlaceStep;

}  // namespace

Copies Plan::fewer_at(std::size_t alignment, std::uint32_t pass) const {
  return stagger * static_cast<std::int64_t>(alignment) + fewer_in(pass);
}

/// How many copies fewer all sizes have in that pass than in the first one: as many as move all
/// places on by a multiple of 8 bytes, and an eighth of the smallest size at most.
Copies Plan::fewer_in(std::uint32_t pass) const {
  if (stagger == Copies()) return {};
  const std::int64_t step = std::max(period().count() / kPlaces, std::int64_t{1});
  const std::int64_t most = std::max(stagger.count(), fewest_copies().count() / 8);
  const auto steps = static_cast<double>(most / step + 1);
  return Copies(static_cast<std::int64_t>(evenly_spread(pass) * steps) * step);
}

Copies Plan::period() const {
  constexpr auto kBytes = static_cast<std::int64_t>(kPiece);
  return Copies(kBytes / std::gcd(kBytes, copy_bytes));
}

std::size_t Plan::place_at(std::size_t alignment, std::uint32_t pass) const {
  const std::size_t first = alignment / 2 * kPlaceStep + alignment % 2 * kPiece / 2;
  return (first + bytes_moved_in(pass)) % kPiece;
}

bool Plan::has_places() const {
  return copy_bytes > 0 && std::ranges::all_of(sizes, [&](Iterations size) {
           return (sizes.back().count() - size.count()) % period().count() == 0;
         });
}

std::size_t Plan::turn_at(std::uint32_t pass) const {
  return bytes_moved_in(pass) % (kPiece / 2) / kPlaceStep;
}

std::size_t Plan::lead_at(std::size_t alignment, std::uint32_t pass) {
  // Odd factors, so that either number alone leads to all of them; two, so that neither that which
  // alignments nor that which passes have in common goes with the lead.
  return 1 + (3 * alignment + 5 * pass) % Kernel::kLeadBytes;
}

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

#include "profiler/running/footprint.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "profiler/block/operands.h"
#include "profiler/running/trace_analysis.h"
#include "profiler/subject/layout.h"
#include "profiler/support/cache_line.h"

namespace assay {
namespace {

/// The lines that were accessed, which must be as few as each set of a cache has ways.
class LinesInSets {
 public:
  explicit LinesInSets(const CacheShape& cache)
      : cache_(cache),
        in_set_(static_cast<std::size_t>(cache.sets)),
        slots_(std::bit_ceil(kSparse * static_cast<std::size_t>(cache.sets * cache.ways))) {}

  /// Adds the lines of an access. Returns false if a set would have more lines than ways.
  bool add(std::uint64_t address, std::uint64_t size) {
    const std::uint64_t last = (address + size - 1) / kCacheLine;
    for (std::uint64_t line = address / kCacheLine; line <= last; ++line) {
      if (!is_new(line)) continue;
      if (++in_set_[line % in_set_.size()] > cache_.ways) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kSparse = 4;  // slots for a line

  /// Looks for the line in the slots, from its own on (linear probing), and puts it there if it is
  /// not found.
  bool is_new(std::uint64_t line) {
    for (std::size_t slot = line;; ++slot) {
      std::uint64_t& held = slots_[slot % slots_.size()];
      if (held == line + 1) return false;
      if (held != 0) continue;
      held = line + 1;
      return true;
    }
  }

  CacheShape cache_;
  std::vector<int> in_set_;
  std::vector<std::uint64_t> slots_;  ///< numbers of lines, plus one; 0 if empty
};

}  // namespace

Footprint::Footprint(std::span<const TracedAccess> accesses)
    : traced_(accesses.begin(), accesses.end()) {
  if (accesses.empty()) return;
  copies_ = Copies(accesses.back().copy + 1);
  const auto in_copy =
      static_cast<std::size_t>(std::ranges::count(accesses, std::int64_t{0}, &TracedAccess::copy));
  // There must be two distances to compare, so three copies.
  constexpr std::int64_t kFewestCopies = 3;
  if (copies_.count() < kFewestCopies) return;
  if (accesses.size() != in_copy * static_cast<std::size_t>(copies_.count())) return;
  const auto distance = [&](std::size_t i) {
    return static_cast<std::int64_t>(accesses[i].address - accesses[i - in_copy].address);
  };
  const std::size_t last = accesses.size() - in_copy;
  const std::int64_t compared = std::max(copies_.count() / 2, kFewestCopies);
  const auto first = static_cast<std::size_t>(copies_.count() - compared + 1) * in_copy;
  for (std::size_t i = first; i < accesses.size(); ++i) {
    const bool same_operand = accesses[i].instruction == accesses[i - in_copy].instruction;
    if (!same_operand || distance(i) != distance(last + i % in_copy)) return;
  }
  for (std::size_t i = last; i < accesses.size(); ++i) {
    walks_.push_back({accesses[i], distance(i)});
  }
}

bool Footprint::foresees() const {
  return std::ranges::any_of(walks_, [](const Walk& walk) { return walk.distance != 0; });
}

TracedAccess Footprint::Walk::in_copy(std::int64_t copy) const {
  TracedAccess access = last;
  access.copy = copy;
  access.address += static_cast<std::uint64_t>(distance * (copy - last.copy));
  return access;
}

/// Calls back with each access of the copies behind the traced ones, up to `copies`, in program
/// order, as long as that returns true.
void Footprint::for_each_foreseen(Copies copies,
                                  const std::function<bool(const TracedAccess&)>& callback) const {
  for (std::int64_t copy = copies_.count(); copy < copies.count(); ++copy) {
    for (const Walk& walk : walks_) {
      if (!callback(walk.in_copy(copy))) return;
    }
  }
}

Copies Footprint::copies_within(const CacheShape& cache, Copies most) const {
  if (!foresees()) return most;
  LinesInSets lines(cache);
  Copies within = most;
  const auto has_room = [&](const TracedAccess& access) {
    if (lines.add(access.address, access.size)) return true;
    within = Copies(std::min(within.count(), access.copy));
    return false;
  };
  if (std::ranges::all_of(traced_, has_room)) for_each_foreseen(most, has_room);
  return within;
}

/// Whether some copy may load what the store wrote in an earlier one that was not traced with it.
bool Footprint::may_meet(const Walk& load, const Walk& store, Copies copies) const {
  const auto overlap = [](std::uint64_t one, std::uint64_t one_end, std::uint64_t other,
                          std::uint64_t other_end) { return one < other_end && other < one_end; };
  if (load.distance == store.distance) {
    // Then they are always as far apart, and meet after as many copies each time.
    if (load.distance == 0) return false;
    for (std::int64_t lag = copies_.count(); lag <= kStoreBuffer; ++lag) {
      const std::uint64_t later = load.in_copy(load.last.copy + lag).address;
      if (overlap(later, later + load.last.size, store.last.address,
                  store.last.address + store.last.size)) {
        return true;
      }
    }
    return false;
  }
  const auto range = [&](const Walk& walk) {
    const std::uint64_t first = walk.in_copy(0).address;
    const std::uint64_t last = walk.in_copy(copies.count()).address;
    return std::pair(std::min(first, last), std::max(first, last) + walk.last.size);
  };
  const auto [load_start, load_end] = range(load);
  const auto [store_start, store_end] = range(store);
  return overlap(load_start, load_end, store_start, store_end);
}

std::vector<TracedAccess> Footprint::meeting(Copies copies) const {
  std::vector<TracedAccess> accesses;
  const bool meet = std::ranges::any_of(walks_, [&](const Walk& load) {
    return load.last.read && std::ranges::any_of(walks_, [&](const Walk& store) {
             return store.last.write && may_meet(load, store, copies);
           });
  });
  if (!meet) return accesses;
  for_each_foreseen(copies, [&](const TracedAccess& access) {
    accesses.push_back(access);
    return true;
  });
  return accesses;
}

void Footprint::for_each_page(Copies copies, std::int64_t most_foreseen,
                              const std::function<void(std::uint64_t)>& callback) const {
  const auto call = [&](std::uint64_t address, std::uint64_t size) {
    callback(address);
    callback(address + size - 1);
  };
  for (const TracedAccess& access : traced_) {
    if (access.copy < copies.count()) call(access.address, access.size);
  }
  constexpr auto kPage = static_cast<std::int64_t>(subject::kPageSize);
  for (const Walk& walk : walks_) {
    if (walk.distance == 0) continue;
    // The stride makes no more calls than are needed to reach every page.
    const std::int64_t stride = std::max<std::int64_t>(kPage / std::abs(walk.distance), 1);
    const std::int64_t ahead = (copies - copies_).count();
    for (std::int64_t i = stride; i < ahead + stride && most_foreseen > 0; i += stride) {
      const auto distance = static_cast<std::uint64_t>(walk.distance * std::min(i, ahead));
      call(walk.last.address + distance, walk.last.size);
      --most_foreseen;
    }
  }
}

std::vector<std::uint64_t> first_addresses(const TracedKernel& kernel, const Block& block,
                                           const InitialState& state) {
  AddressRegisters registers;
  std::ranges::copy(state.general, registers.general.begin());
  registers.fs_base = state.segment_base;
  registers.gs_base = state.segment_base;
  std::vector<std::uint64_t> addresses;
  for (const TracedInstruction& traced : kernel.layout.instructions) {
    const Instruction& instruction = block.instructions[traced.index];
    registers.rip = kernel.home + instruction.offset;
    for (const MemoryOperand& operand : traced.operands) {
      if (operand.vector_index) continue;
      const std::uint64_t first = address_of(operand, instruction.length, registers);
      addresses.push_back(first);
      addresses.push_back(first + static_cast<std::uint64_t>(std::max(operand.size, 1)) - 1);
    }
  }
  return addresses;
}

}  // namespace assay

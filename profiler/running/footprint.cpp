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

/// What was accessed: the lines, which must be as few as each set of a cache has ways, and the
/// pages.
class Accessed {
 public:
  explicit Accessed(const DataReach& reach)
      : reach_(reach),
        in_set_(static_cast<std::size_t>(reach.cache.sets)),
        slots_(std::bit_ceil(kSparse *
                             static_cast<std::size_t>(reach.cache.sets * reach.cache.ways))) {}

  /// Adds an access. Returns false if that is out of reach.
  bool add(const TracedAccess& access) {
    const std::uint64_t end = access.address + access.size - 1;
    for (std::uint64_t line = access.address / kCacheLine; line <= end / kCacheLine; ++line) {
      if (!is_new(line)) continue;
      if (++in_set_[line % in_set_.size()] > reach_.cache.ways) return false;
    }
    for (const std::uint64_t address : {access.address, end}) {
      if (!add_page(address, reach_.pages, pages_)) return false;
      if (access.write && !add_page(address, reach_.stored_pages, stored_pages_)) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kSparse = 4;  // slots for a line

  static bool add_page(std::uint64_t address, int most, std::vector<std::uint64_t>& pages) {
    const std::uint64_t page = address / subject::kPageSize;
    // The latest pages are the likeliest.
    if (std::find(pages.rbegin(), pages.rend(), page) == pages.rend()) pages.push_back(page);
    return pages.size() <= static_cast<std::size_t>(most);
  }

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

  DataReach reach_;
  std::vector<int> in_set_;
  std::vector<std::uint64_t> slots_;  ///< numbers of lines, plus one; 0 if empty
  std::vector<std::uint64_t> pages_;
  std::vector<std::uint64_t> stored_pages_;  ///< of these, those that were stored to
};

}  // namespace

Footprint::Footprint(std::span<const TracedAccess> accesses, Copies copies)
    : traced_(accesses.begin(), accesses.end()), copies_(copies) {
  if (accesses.empty()) return;
  rests_ = accesses.back().copy < copies_.count() / 2;
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

std::pair<std::uint64_t, std::uint64_t> Footprint::Walk::range(Copies copies) const {
  const std::uint64_t first = in_copy(0).address;
  const std::uint64_t behind = in_copy(copies.count() - 1).address;
  return {std::min(first, behind), std::max(first, behind) + last.size};
}

bool Footprint::Walk::overlaps(const Walk& other, Copies copies) const {
  const auto [start, end] = range(copies);
  const auto [other_start, other_end] = other.range(copies);
  return start < other_end && other_start < end;
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

Copies Footprint::copies_within(const DataReach& reach, Copies most) const {
  if (!foresees() && is_regular()) return most;
  Accessed accessed(reach);
  Copies within = most;
  const auto has_room = [&](const TracedAccess& access) {
    if (accessed.add(access)) return true;
    within = Copies(std::min(within.count(), access.copy));
    return false;
  };
  if (std::ranges::all_of(traced_, has_room)) for_each_foreseen(most, has_room);
  return within;
}

/// Whether some copy may load what the store wrote in an earlier one that was not traced with it.
bool Footprint::may_meet(const Walk& load, const Walk& store, Copies copies) const {
  if (load.distance != store.distance) return load.overlaps(store, copies);
  // Then they are always as far apart, and meet after as many copies each time.
  if (load.distance == 0) return false;
  for (std::int64_t lag = copies_.count(); lag <= kStoreBuffer; ++lag) {
    const std::uint64_t later = load.in_copy(load.last.copy + lag).address;
    if (later < store.last.address + store.last.size &&
        store.last.address < later + load.last.size) {
      return true;
    }
  }
  return false;
}

bool Footprint::pointers_meet(Copies copies) const {
  const auto meets = [&](const Walk& load, const Walk& store) {
    return store.last.write && store.last.registers != load.last.registers &&
           (load.distance != 0 || store.distance != 0) && load.overlaps(store, copies);
  };
  return std::ranges::any_of(walks_, [&](const Walk& load) {
    if (!load.last.read) return false;
    // What only the first copies store to may lie in the way as well.
    return std::ranges::any_of(walks_, [&](const Walk& store) { return meets(load, store); }) ||
           std::ranges::any_of(traced_, [&](const TracedAccess& access) {
             return meets(load, {.last = access, .distance = 0});
           });
  });
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

int pages_held(const CacheShape& cache) {
  const auto size = static_cast<std::uint64_t>(cache.sets * cache.ways) * kCacheLine;
  // A page has a line of each of 64 sets at most.
  return std::min(cache.ways, static_cast<int>(size / subject::kPageSize));
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

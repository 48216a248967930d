#include "profiler/running/footprint.h"

#include <algorithm>
#include <cstdlib>

#include "profiler/block/operands.h"
#include "profiler/subject/layout.h"

namespace assay {

Footprint::Footprint(std::span<const TracedAccess> accesses)
    : traced_(accesses.begin(), accesses.end()) {
  if (accesses.empty()) return;
  copies_ = Copies(accesses.back().copy + 1);
  const auto in_copy =
      static_cast<std::size_t>(std::ranges::count(accesses, std::int64_t{0}, &TracedAccess::copy));
  // There must be two distances to compare, so three copies.
  constexpr Copies kFewestCopies{3};
  if (copies_ < kFewestCopies) return;
  if (accesses.size() != in_copy * static_cast<std::size_t>(copies_.count())) return;
  const auto distance = [&](std::size_t i) {
    return static_cast<std::int64_t>(accesses[i].address - accesses[i - in_copy].address);
  };
  const std::size_t last = accesses.size() - in_copy;
  for (std::size_t i = in_copy; i < accesses.size(); ++i) {
    const bool same_operand = accesses[i].instruction == accesses[i - in_copy].instruction;
    if (!same_operand || distance(i) != distance(last + i % in_copy)) return;
  }
  for (std::size_t i = last; i < accesses.size(); ++i) {
    walks_.push_back({accesses[i].address, accesses[i].size, distance(i)});
  }
}

bool Footprint::foresees() const {
  return std::ranges::any_of(walks_, [](const Walk& walk) { return walk.distance != 0; });
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
      call(walk.address + distance, walk.size);
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

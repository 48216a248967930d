#include "profiler/codegen/spare_registers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "profiler/machine/features.h"

namespace assay {
namespace {

using enum GeneralRegister;

/// Registers that may be spare, those that code uses least first.
constexpr std::array kSpare = {kR15, kR14, kR13, kR12, kR11, kR10, kR9,
                               kR8,  kRbx, kRbp, kRdi, kRsi, kRcx};

std::optional<GeneralRegister> find_counter(const RegisterUse& use) {
  const auto free = [&](GeneralRegister reg) { return !use.uses(reg); };
  if (const auto* found = std::ranges::find_if(kSpare, free); found != kSpare.end()) return *found;
  // RAX and RDX are last: readings overwrite them, but they are reloaded before the copies.
  for (const GeneralRegister reg : {kRax, kRdx}) {
    if (free(reg)) return reg;
  }
  return std::nullopt;
}

std::vector<Keeper> all_keepers(const RegisterUse& use, std::optional<GeneralRegister> taken,
                                bool use_rcx) {
  std::vector<Keeper> keepers;
  for (const GeneralRegister reg : kSpare) {
    if (use_rcx && reg == kRcx) continue;
    if (!use.uses(reg) && reg != taken) keepers.push_back({reg});
  }
  const auto add_vectors = [&](int first, int last) {
    for (int i = last; i >= first; --i) {
      if (!use.uses_vector(i)) keepers.push_back({std::nullopt, i});
    }
  };
  add_vectors(0, 15);
  if (features().avx512) add_vectors(16, kVectorRegisters - 1);
  return keepers;
}

std::string too_few(std::size_t readings, std::size_t keepers) {
  if (keepers == 0) return "it uses every general and every vector register";
  return fmt::format("it leaves {} registers for {} readings", keepers, readings);
}

}  // namespace

std::variant<SpareRegisters, Outcome> find_spare_registers(const Block& block,
                                                           const KernelNeeds& needs) {
  SpareRegisters spare;
  if (needs.loop) {
    spare.counter = find_counter(block.registers);
    if (!spare.counter) {
      return Outcome{Reason::kNoFreeRegister,
                     "it uses every register that could count its iterations"};
    }
  }
  spare.keepers = all_keepers(block.registers, spare.counter, needs.use_rcx);
  if (spare.keepers.size() < needs.readings) {
    return Outcome{Reason::kNoFreeRegister, too_few(needs.readings, spare.keepers.size())};
  }
  spare.keepers.resize(needs.readings);
  return spare;
}

}  // namespace assay

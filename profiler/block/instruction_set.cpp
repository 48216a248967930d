#include "profiler/block/instruction_set.h"

#include <algorithm>
#include <span>

#include "profiler/block/zydis.h"

namespace assay {
namespace {

struct StandIn {
  ZydisMnemonic mnemonic;
  std::string_view instruction;
};

// What an instruction's encoding meant before the instruction existed, and still means on CPUs that
// lack it: an ignored prefix, or a NOP that was reserved for hints. Sources: Intel SDM volume 2,
// the instructions' own pages (TZCNT, LZCNT, PREFETCHW, CLDEMOTE, RDSSP), and volume 1, "Intel MPX
// Enumeration and Enabling"; AMD APM volume 3 (LZCNT, TZCNT, PREFETCH: reserved kinds are aliases
// of others). Tested on a Zen 4 in 907 forms of instructions that it lacks, these included: every
// other one faults.
constexpr StandIn kStandIns[] = {
    {ZYDIS_MNEMONIC_TZCNT, "bsf"},
    {ZYDIS_MNEMONIC_LZCNT, "bsr"},
    {ZYDIS_MNEMONIC_PREFETCH, "nop"},
    {ZYDIS_MNEMONIC_PREFETCHW, "nop"},
    {ZYDIS_MNEMONIC_PREFETCHWT1, "another prefetch"},
    {ZYDIS_MNEMONIC_CLDEMOTE, "nop"},
    {ZYDIS_MNEMONIC_RDSSPD, "nop"},
    {ZYDIS_MNEMONIC_RDSSPQ, "nop"},
    {ZYDIS_MNEMONIC_BNDCL, "nop"},
    {ZYDIS_MNEMONIC_BNDCN, "nop"},
    {ZYDIS_MNEMONIC_BNDCU, "nop"},
    {ZYDIS_MNEMONIC_BNDLDX, "nop"},
    {ZYDIS_MNEMONIC_BNDMK, "nop"},
    {ZYDIS_MNEMONIC_BNDMOV, "nop"},
    {ZYDIS_MNEMONIC_BNDSTX, "nop"},
};

std::string_view stand_in(ZydisMnemonic mnemonic) {
  const auto* const found = std::ranges::find(kStandIns, mnemonic, &StandIn::mnemonic);
  return found == std::end(kStandIns) ? std::string_view() : found->instruction;
}

bool is_knights_corner(ZydisISASet set) {
  switch (set) {
    case ZYDIS_ISA_SET_KNCE:
    case ZYDIS_ISA_SET_KNCJKBR:
    case ZYDIS_ISA_SET_KNCSTREAM:
    case ZYDIS_ISA_SET_KNCV:
    case ZYDIS_ISA_SET_KNC_MISC:
    case ZYDIS_ISA_SET_KNC_PF_HINT:
      return true;
    default:
      return false;
  }
}

ZydisISASet set_of(const ZydisDecodedInstruction& instruction) {
  switch (instruction.mnemonic) {
    case ZYDIS_MNEMONIC_ENDBR32:
    case ZYDIS_MNEMONIC_ENDBR64:
      return ZYDIS_ISA_SET_FAT_NOP;
    default:
      return instruction.meta.isa_set;
  }
}

}  // namespace

std::vector<InstructionSet> instruction_sets(const Block& block) {
  std::vector<InstructionSet> sets;
  sets.reserve(block.instructions.size());
  for (const Instruction& instruction : block.instructions) {
    const auto decoded = decode_one(std::span(block.bytes).subspan(instruction.offset));
    sets.push_back({ZydisISASetGetString(set_of(decoded->instruction)),
                    stand_in(decoded->instruction.mnemonic)});
  }
  return sets;
}

std::vector<std::string_view> instruction_set_names() {
  std::vector<std::string_view> names;
  for (int i = ZYDIS_ISA_SET_INVALID + 1; i <= ZYDIS_ISA_SET_MAX_VALUE; ++i) {
    const auto set = static_cast<ZydisISASet>(i);
    if (!is_knights_corner(set)) names.emplace_back(ZydisISASetGetString(set));
  }
  return names;
}

}  // namespace assay

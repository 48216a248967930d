#include "profiler/block/input_dependence.h"

#include <algorithm>

namespace assay {
namespace {

constexpr ZydisMnemonic kTable[] = {
    // Integer division: fewer steps for small quotients.
    ZYDIS_MNEMONIC_DIV,
    ZYDIS_MNEMONIC_IDIV,
    // Division and square roots of floating-point numbers: fewer steps for short mantissas.
    ZYDIS_MNEMONIC_DIVPS,
    ZYDIS_MNEMONIC_DIVPD,
    ZYDIS_MNEMONIC_DIVSS,
    ZYDIS_MNEMONIC_DIVSD,
    ZYDIS_MNEMONIC_SQRTPS,
    ZYDIS_MNEMONIC_SQRTPD,
    ZYDIS_MNEMONIC_SQRTSS,
    ZYDIS_MNEMONIC_SQRTSD,
    ZYDIS_MNEMONIC_VDIVPS,
    ZYDIS_MNEMONIC_VDIVPD,
    ZYDIS_MNEMONIC_VDIVSS,
    ZYDIS_MNEMONIC_VDIVSD,
    ZYDIS_MNEMONIC_VSQRTPS,
    ZYDIS_MNEMONIC_VSQRTPD,
    ZYDIS_MNEMONIC_VSQRTSS,
    ZYDIS_MNEMONIC_VSQRTSD,
    ZYDIS_MNEMONIC_VDIVPH,
    ZYDIS_MNEMONIC_VDIVSH,
    ZYDIS_MNEMONIC_VSQRTPH,
    ZYDIS_MNEMONIC_VSQRTSH,
    // x87 division and square roots, and what the x87 computes by microcode: remainders,
    // transcendental functions, decimal numbers.
    ZYDIS_MNEMONIC_FDIV,
    ZYDIS_MNEMONIC_FDIVP,
    ZYDIS_MNEMONIC_FDIVR,
    ZYDIS_MNEMONIC_FDIVRP,
    ZYDIS_MNEMONIC_FIDIV,
    ZYDIS_MNEMONIC_FIDIVR,
    ZYDIS_MNEMONIC_FSQRT,
    ZYDIS_MNEMONIC_FPREM,
    ZYDIS_MNEMONIC_FPREM1,
    ZYDIS_MNEMONIC_FSCALE,
    ZYDIS_MNEMONIC_FXTRACT,
    ZYDIS_MNEMONIC_FSIN,
    ZYDIS_MNEMONIC_FCOS,
    ZYDIS_MNEMONIC_FSINCOS,
    ZYDIS_MNEMONIC_FPTAN,
    ZYDIS_MNEMONIC_FPATAN,
    ZYDIS_MNEMONIC_F2XM1,
    ZYDIS_MNEMONIC_FYL2X,
    ZYDIS_MNEMONIC_FYL2XP1,
    ZYDIS_MNEMONIC_FBLD,
    ZYDIS_MNEMONIC_FBSTP,
    // Gathers, scatters and masked moves: one access for each active lane, none if no lane is
    // active.
    ZYDIS_MNEMONIC_VGATHERDPS,
    ZYDIS_MNEMONIC_VGATHERDPD,
    ZYDIS_MNEMONIC_VGATHERQPS,
    ZYDIS_MNEMONIC_VGATHERQPD,
    ZYDIS_MNEMONIC_VPGATHERDD,
    ZYDIS_MNEMONIC_VPGATHERDQ,
    ZYDIS_MNEMONIC_VPGATHERQD,
    ZYDIS_MNEMONIC_VPGATHERQQ,
    ZYDIS_MNEMONIC_VSCATTERDPS,
    ZYDIS_MNEMONIC_VSCATTERDPD,
    ZYDIS_MNEMONIC_VSCATTERQPS,
    ZYDIS_MNEMONIC_VSCATTERQPD,
    ZYDIS_MNEMONIC_VPSCATTERDD,
    ZYDIS_MNEMONIC_VPSCATTERDQ,
    ZYDIS_MNEMONIC_VPSCATTERQD,
    ZYDIS_MNEMONIC_VPSCATTERQQ,
    ZYDIS_MNEMONIC_VMASKMOVPS,
    ZYDIS_MNEMONIC_VMASKMOVPD,
    ZYDIS_MNEMONIC_VPMASKMOVD,
    ZYDIS_MNEMONIC_VPMASKMOVQ,
    ZYDIS_MNEMONIC_MASKMOVQ,
    ZYDIS_MNEMONIC_MASKMOVDQU,
    ZYDIS_MNEMONIC_VMASKMOVDQU,
    // String comparisons with explicit lengths.
    ZYDIS_MNEMONIC_PCMPESTRI,
    ZYDIS_MNEMONIC_PCMPESTRM,
    ZYDIS_MNEMONIC_VPCMPESTRI,
    ZYDIS_MNEMONIC_VPCMPESTRM,
    // Microcoded on AMD Zen to Zen 2: a loop over the bits that are set in the mask.
    ZYDIS_MNEMONIC_PDEP,
    ZYDIS_MNEMONIC_PEXT,
    // These take as long as the random number generator does.
    ZYDIS_MNEMONIC_RDRAND,
    ZYDIS_MNEMONIC_RDSEED,
};

}  // namespace

bool is_input_dependent(const Decoded& decoded) {
  // A repeated instruction iterates as often as RCX says, or until two elements differ. One that
  // saves extended state takes as long as the components that are in use, or were changed.
  return decoded.is_repeated() || saves_extended_state(decoded.instruction) ||
         std::ranges::find(kTable, decoded.instruction.mnemonic) != std::end(kTable);
}

}  // namespace assay

#pragma once

#include <string>

#include "profiler/block/zydis.h"

namespace assay {

/// The name of the instruction's form, which no other form has:
/// - the assembler's prefix "{evex}" where a VEX form may have the same name otherwise, that is if
///   nothing else in the name is EVEX's alone;
/// - LOCK, REP, REPE or REPNE, the mnemonic;
/// - the operands that are written in assembly: r8 to r64, xmm, ymm, zmm, k, mm, st, bnd, tmm,
///   sreg, cr, dr; m with the bits that are accessed, "m" where none are (lea), "vm32x" with
///   vectors of indices (their bits and register, as in Intel's manual), moffs64, m64bcst; imm8,
///   rel32; registers that the form does not leave a choice of (al, cl, xmm0, st0) and the 1 of
///   shifts.
/// - {k} and {z} behind the operand that is masked, {er} or {sae} behind the last register.
std::string name_of(const Decoded& decoded);

}  // namespace assay

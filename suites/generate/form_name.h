#pragma once

#include <string>

#include "profiler/block/zydis.h"

namespace assay {

/// The name of the instruction's form, which no other form has. It consists of
/// - the assembler's prefix "{evex}" where a VEX form could have the same name otherwise, because
///   nothing else in the name is only possible with EVEX;
/// - LOCK, REP, REPE or REPNE, the mnemonic;
/// - the operands that are written in assembly: r8 to r64, xmm, ymm, zmm, k, mm, st, bnd, tmm,
///   sreg, cr, dr; m with the number of bits that are accessed, "m" if none are (lea), "vm32x" for
///   vectors of indices (their bits and register, as in Intel's manual), moffs64, m64bcst; imm8,
///   rel32; registers by name if the form has no choice (al, cl, xmm0, st0), and the 1 of shifts;
/// - {k} and {z} behind the operand that is masked, {er} or {sae} behind the last register.
std::string name_of(const Decoded& decoded);

}  // namespace assay

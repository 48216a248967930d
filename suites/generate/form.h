#pragma once

#include <string>
#include <string_view>

#include "profiler/block/bytes.h"
#include "profiler/block/zydis.h"

namespace assay {

/// An instruction form: a mnemonic with the kinds and widths of its operands, and what changes its
/// meaning (LOCK, REP, masking, zeroing, broadcast, rounding). Encodings that mean the same are one
/// form; VEX and EVEX encodings of one instruction are two.
struct InstructionForm {
  /// As name_of() gives it: "ADD r64, r64", "LOCK ADD m64, r64", "VADDPD zmm{k}{z}, zmm, m64bcst".
  std::string name;
  Bytes code;                  ///< one instruction of the form, the first one that was found
  std::string_view mnemonic;   ///< in capitals
  std::string_view isa_set;    ///< Zydis's name: "AVX512F_512"
  std::string_view extension;  ///< Zydis's name of what the set belongs to: "AVX512EVEX"
};

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

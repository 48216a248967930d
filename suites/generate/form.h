#pragma once

#include <string>
#include <string_view>

#include "profiler/block/bytes.h"

namespace assay {

/// An instruction form: a mnemonic with the kinds and widths of its operands, and what changes its
/// meaning (LOCK, REP, masking, zeroing, broadcast, rounding). Encodings that mean the same are one
/// form; VEX and EVEX encodings of one instruction are two.
struct InstructionForm {
  /// From name_of(): "ADD r64, r64", "LOCK ADD m64, r64", "VADDPD zmm{k}{z}, zmm, m64bcst".
  std::string name;
  Bytes code;                  ///< an example: the first instruction of the form that was found
  std::string_view mnemonic;   ///< in capitals
  std::string_view isa_set;    ///< Zydis's name: "AVX512F_512"
  std::string_view extension;  ///< Zydis's name of the extension of that set: "AVX512EVEX"
};

}  // namespace assay

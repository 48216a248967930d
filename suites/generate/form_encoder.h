#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "suites/generate/form.h"
#include "suites/generate/operand_use.h"

namespace assay {

/// The register of that number (0 to 15, vectors to 31) in the file, so wide: 8 to 64 bits of a
/// general register (never AH to BH), 128 to 512 of a vector register; other files have one width.
ZydisRegister register_of(Carrier carrier, int number, int bits);

/// What is put into a form's operands; what is left out stays as in the form's own code.
struct OperandChoice {
  /// Numbers of registers, by the operand's index into Decoded::operands() and its part.
  std::map<std::pair<int, Part>, int> registers = {};
  /// Added to the address of every memory operand that has a base.
  int displacement = 0;
};

/// One instruction of the form with that choice, by Zydis's encoder, with immediates that are not
/// 0 or 1 and need the width that the form has. Nothing if the encoder refuses, or what it makes
/// decodes to another form.
std::optional<Bytes> encode_form(const InstructionForm& form, const OperandChoice& choice);

/// One instruction made from scratch, unmasked. Throws Error if there is no such instruction.
Bytes encode_instruction(ZydisMnemonic mnemonic, std::vector<ZydisEncoderOperand> operands);

ZydisEncoderOperand register_operand(ZydisRegister reg);
ZydisEncoderOperand memory_operand(ZydisRegister base, std::int64_t displacement, int bits);
ZydisEncoderOperand immediate_operand(std::uint64_t value);

}  // namespace assay

#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "suites/generate/form.h"
#include "suites/generate/operand_use.h"

namespace assay {

/// Zydis's name for a register of the file `carrier`, by its number (0 to 15, vectors to 31) and
/// width: 8 to 64 bits of a general register (never AH to BH), 128 to 512 of a vector register;
/// registers of other files have one width.
ZydisRegister register_of(Carrier carrier, int number, int bits);

/// The registers and displacement of one instruction of a form. Operands that are left out stay as
/// they are in the form's own code.
struct OperandChoice {
  /// Numbers of registers, by the operand's index into Decoded::operands() and the operand's part.
  std::map<std::pair<int, Part>, int> registers = {};
  /// Added to the address of every memory operand that has a base.
  int displacement = 0;
};

/// Encodes an instruction of the form with this choice, by Zydis's encoder, with immediates that
/// are not 0 or 1 and need the full width that the form has. Nothing if the encoder refuses, or if
/// the result decodes as another form.
std::optional<Bytes> encode_form(const InstructionForm& form, const OperandChoice& choice);

/// Encodes an unmasked instruction from its mnemonic and operands. Throws Error if there is no such
/// instruction.
Bytes encode_instruction(ZydisMnemonic mnemonic, std::vector<ZydisEncoderOperand> operands);

ZydisEncoderOperand register_operand(ZydisRegister reg);
ZydisEncoderOperand memory_operand(ZydisRegister base, std::int64_t displacement, int bits);
ZydisEncoderOperand immediate_operand(std::uint64_t value);

}  // namespace assay

#include "profiler/block/written_numbers.h"

#include "profiler/block/zydis.h"

namespace assay {
namespace {

std::uint64_t low_bits(std::int64_t value, int width) {
  const auto bits = static_cast<std::uint64_t>(value);
  return width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

/// Whether `width` bits can hold the number, signed or unsigned.
bool fits(std::int64_t value, int width) {
  if (width >= 64) return true;
  return value >= -(std::int64_t{1} << (width - 1)) && value < (std::int64_t{1} << width);
}

/// Whether the number that was written fits in `width` bits and has the encoded number's bits
/// there.
bool equal_in(std::int64_t written, std::int64_t encoded, int width) {
  return fits(written, width) && low_bits(written, width) == low_bits(encoded, width);
}

bool is_encoded_immediate(const ZydisDecodedOperand& operand) {
  return operand.type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
         operand.encoding != ZYDIS_OPERAND_ENCODING_NONE;
}

/// Whether the immediate holds the number that was written. A sign-extended immediate counts as the
/// whole operand that it stands for: 0xfffffff0 fits the one byte of `and eax, -16`, and 255 does
/// not.
bool holds_immediate(const ZydisDecodedInstruction& instruction, const ZydisDecodedOperand& operand,
                     std::int64_t written) {
  const bool extended = operand.imm.is_signed && operand.size < instruction.operand_width;
  const int width = extended ? instruction.operand_width : operand.size;
  return equal_in(written, operand.imm.value.s, width);
}

std::optional<std::int64_t> lost_immediate(const Decoded& decoded,
                                           const std::vector<std::int64_t>& written) {
  auto number = written.begin();
  for (const ZydisDecodedOperand& operand : decoded.operands()) {
    if (number == written.end()) break;
    if (!is_encoded_immediate(operand)) continue;
    if (!holds_immediate(decoded.instruction, operand, *number)) return *number;
    ++number;
  }
  // A number that the encoding has no immediate for is lost.
  if (number != written.end()) return *number;
  return std::nullopt;
}

bool holds_displacement(const Decoded& decoded, std::int64_t written) {
  for (const ZydisDecodedOperand& operand : decoded.operands()) {
    if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY) continue;
    return equal_in(written, operand.mem.disp.value, decoded.instruction.address_width);
  }
  return true;
}

}  // namespace

std::optional<std::int64_t> lost_number(std::span<const std::uint8_t> code,
                                        const WrittenNumbers& written) {
  const auto decoded = decode_one(code);
  if (!decoded) return std::nullopt;
  if (const auto lost = lost_immediate(*decoded, written.immediates)) return lost;
  if (written.displacement && !holds_displacement(*decoded, *written.displacement)) {
    return written.displacement;
  }
  return std::nullopt;
}

}  // namespace assay

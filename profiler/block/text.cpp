#include "profiler/block/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "profiler/block/llvm_mc.h"
#include "profiler/block/zydis.h"
#include "profiler/support/error.h"

namespace assay {
namespace {

using Code = std::span<const std::uint8_t>;

constexpr std::size_t kBytesInDirective = 16;

ZydisFormatter make_formatter() {
  ZydisFormatter formatter;
  if (ZYAN_FAILED(ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL)) ||
      ZYAN_FAILED(ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_FORCE_SIZE, 1))) {
    throw Error("Zydis refuses Intel syntax: its library does not fit its headers");
  }
  return formatter;
}

std::string printed_by_zydis(const Decoded& decoded) {
  static const ZydisFormatter formatter = make_formatter();
  std::array<char, 256> text{};
  // No runtime address is given, so that RIP-relative operands are printed as relative ones.
  const ZyanStatus status =
      ZydisFormatterFormatInstruction(&formatter, &decoded.instruction, decoded.storage.data(),
                                      decoded.instruction.operand_count_visible, text.data(),
                                      text.size(), ZYDIS_RUNTIME_ADDRESS_NONE, nullptr);
  if (ZYAN_FAILED(status)) return std::string(ZydisMnemonicGetString(decoded.instruction.mnemonic));
  return text.data();
}

/// The text with the branch's target replaced by ".+N", where N counts from the instruction's first
/// byte: a form that needs no label and can be assembled again.
std::string with_relative_target(std::string_view text, const ZydisDecodedInstruction& branch) {
  const std::string_view stem = text.substr(0, text.rfind(' '));
  const std::int64_t target = branch.raw.imm[0].value.s + branch.length;
  return fmt::format("{} .{:+}", stem, target);
}

/// Appends ".byte 0x.., 0x..", in directives short enough for any assembler.
void append_raw(Code code, std::string& text) {
  for (std::size_t first = 0; first < code.size(); first += kBytesInDirective) {
    const Code line = code.subspan(first, std::min(kBytesInDirective, code.size() - first));
    if (first > 0) text += "; ";
    text += fmt::format(".byte 0x{:02x}", fmt::join(line, ", 0x"));
  }
}

void append_instruction(const Decoded& decoded, Code code, std::string& text) {
  std::optional<std::string> printed;
  // LLVM 19 overlooks the prefix of mcommit and prints monitorx, so Zydis prints it instead.
  if (decoded.instruction.mnemonic != ZYDIS_MNEMONIC_MCOMMIT) printed = print_with_llvm(code);
  if (!printed) printed = printed_by_zydis(decoded);
  if (decoded.is_relative_branch()) *printed = with_relative_target(*printed, decoded.instruction);
  text += *printed;
}

}  // namespace

std::string text_of(const Bytes& bytes) {
  std::string text;
  Code rest(bytes);
  while (!rest.empty()) {
    if (!text.empty()) text += "; ";
    const auto decoded = decode_one(rest);
    if (!decoded) {
      // Where the next instruction would begin is unknown, so the whole rest is printed as bytes.
      append_raw(rest, text);
      break;
    }
    const std::size_t length = decoded->instruction.length;
    append_instruction(*decoded, rest.first(length), text);
    rest = rest.subspan(length);
  }
  return text;
}

std::string text_of(const Block& block, const Instruction& instruction) {
  const auto first = block.bytes.begin() + static_cast<std::ptrdiff_t>(instruction.offset);
  return text_of(Bytes(first, first + static_cast<std::ptrdiff_t>(instruction.length)));
}

std::string raw_text_of(const Bytes& bytes) {
  std::string text;
  append_raw(bytes, text);
  return text;
}

}  // namespace assay

#include "suites/generate/form_table.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_set>

#include "suites/generate/encoding_space.h"
#include "suites/generate/form_name.h"

namespace assay {
namespace {

using MnemonicSet = std::array<bool, ZYDIS_MNEMONIC_MAX_VALUE + 1>;

/// The mnemonic's name in capitals; the text lives as long as the program.
std::string_view mnemonic_name(ZydisMnemonic mnemonic) {
  static const auto names = [] {
    std::array<std::string, ZYDIS_MNEMONIC_MAX_VALUE + 1> result;
    for (std::size_t i = 0; i < result.size(); ++i) {
      result.at(i) = ZydisMnemonicGetString(static_cast<ZydisMnemonic>(i));
      for (char& letter : result.at(i)) {
        if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
      }
    }
    return result;
  }();
  return names.at(mnemonic);
}

InstructionForm make_form(std::string name, const Decoded& decoded,
                          std::span<const std::uint8_t> code) {
  const ZydisDecodedInstructionMeta& meta = decoded.instruction.meta;
  return {.name = std::move(name),
          .code = Bytes(code.begin(), code.end()),
          .mnemonic = mnemonic_name(decoded.instruction.mnemonic),
          .isa_set = ZydisISASetGetString(meta.isa_set),
          .extension = ZydisISAExtGetString(meta.isa_ext)};
}

/// The mnemonics that a decoder in another mode finds behind every opcode byte, or two of them in a
/// legacy map, and behind the prefixes that only exist in that mode.
class OtherMode {
 public:
  OtherMode(ZydisMachineMode mode, bool knights_corner) {
    const ZydisStackWidth stack =
        mode == ZYDIS_MACHINE_MODE_LONG_64 ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32;
    if (ZYAN_FAILED(ZydisDecoderInit(&decoder_, mode, stack))) return;
    ZydisDecoderEnableMode(&decoder_, ZYDIS_DECODER_MODE_KNC, knights_corner ? 1 : 0);
    for (unsigned opcode = 0; opcode < 256; ++opcode) {
      for (unsigned modrm = 0; modrm < 256; ++modrm) {
        for (const unsigned prefix : {0x00U, 0x66U, 0x67U}) legacy(prefix, opcode, modrm);
        const bool common = (modrm & 7) == 4 && (modrm < 0x40 || modrm >= 0xc0);
        if (knights_corner && common) vectors(opcode, modrm);
      }
    }
  }

  bool found(ZydisMnemonic mnemonic) const { return found_.at(mnemonic); }

 private:
  void legacy(unsigned prefix, unsigned opcode, unsigned modrm) {
    std::array<std::uint8_t, 16> code{};
    std::size_t length = 0;
    if (prefix != 0) code.at(length++) = static_cast<std::uint8_t>(prefix);
    code.at(length) = static_cast<std::uint8_t>(opcode);
    code.at(length + 1) = static_cast<std::uint8_t>(modrm);
    decode(code);
  }

  /// Finds Knights Corner's own instructions: those with VEX, and those with MVEX and any value of
  /// its fields.
  void vectors(unsigned opcode, unsigned modrm) {
    for (unsigned fields = 0; fields < 1U << 11; ++fields) {
      const unsigned map = 1 + (fields & 3);
      const unsigned pp = fields >> 2 & 3;
      const unsigned w = fields >> 4 & 1;
      const unsigned sss = fields >> 5 & 7;
      const unsigned masked = fields >> 8 & 1;
      const unsigned vvvv = (fields >> 9 & 1) != 0 ? 0xaU : 0xfU;
      const auto byte = [](unsigned value) { return static_cast<std::uint8_t>(value); };
      decode({0x62, byte(0xf0 | map), byte(w << 7 | vvvv << 3 | pp),
              byte(fields >> 10 << 7 | sss << 4 | 8 | masked), byte(opcode), byte(modrm), 0x1a});
      decode({0xc4, byte(0xe0 | map), byte(w << 7 | vvvv << 3 | (sss & 1) << 2 | pp), byte(opcode),
              byte(modrm), 0x1a});
    }
  }

  void decode(const std::array<std::uint8_t, 16>& code) {
    ZydisDecoderContext context;
    ZydisDecodedInstruction instruction;
    if (ZYAN_SUCCESS(
            ZydisDecoderDecodeInstruction(&decoder_, &context, code.data(), 15, &instruction))) {
      found_.at(instruction.mnemonic) = true;
    }
  }

  ZydisDecoder decoder_{};
  MnemonicSet found_{};
};

/// Everything that a form's name depends on. It is far quicker to make than the name, and most
/// instructions visited are of a form whose key is known already.
using FormKey = std::array<std::uint64_t, 1 + ZYDIS_ENCODER_MAX_OPERANDS>;

std::uint64_t packed(std::initializer_list<std::uint64_t> fields) {
  std::uint64_t key = 0;
  for (const std::uint64_t field : fields) key = key << 12 | (field & 0xfff);
  return key;
}

std::uint64_t operand_key(const ZydisDecodedOperand& operand) {
  const bool implicit = operand.visibility == ZYDIS_OPERAND_VISIBILITY_IMPLICIT;
  const std::uint64_t kind = static_cast<std::uint64_t>(operand.type) << 8 |
                             static_cast<std::uint64_t>(operand.encoding) << 2 | (implicit ? 1 : 0);
  switch (operand.type) {
    case ZYDIS_OPERAND_TYPE_REGISTER: {
      // A form's name has registers that the form fixes, and only the class of those it leaves
      // open.
      const bool unmasked = operand.reg.value == ZYDIS_REGISTER_K0;
      return packed({kind, implicit ? static_cast<std::uint64_t>(operand.reg.value) : 0,
                     static_cast<std::uint64_t>(ZydisRegisterGetClass(operand.reg.value)),
                     unmasked ? 1U : 0U});
    }
    case ZYDIS_OPERAND_TYPE_MEMORY: {
      const bool bare = operand.mem.base == ZYDIS_REGISTER_NONE;
      return packed({kind, operand.size / 8U, static_cast<std::uint64_t>(operand.mem.type),
                     static_cast<std::uint64_t>(ZydisRegisterGetClass(operand.mem.index)),
                     bare ? 1U : 0U});
    }
    case ZYDIS_OPERAND_TYPE_IMMEDIATE:
      return packed(
          {kind, operand.size, operand.imm.is_relative, implicit ? operand.imm.value.u : 0});
    default:
      return packed({kind});
  }
}

FormKey key_of(const Decoded& decoded) {
  const ZydisDecodedInstruction& instruction = decoded.instruction;
  constexpr ZydisInstructionAttributes kPrefixes =
      ZYDIS_ATTRIB_HAS_LOCK | ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;
  const ZydisDecodedInstructionAvx& avx = instruction.avx;
  const bool evex = instruction.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX;
  const bool broadcast = avx.broadcast.mode != 0 && !avx.broadcast.is_static;
  const bool rounds = avx.rounding.mode != 0;
  const unsigned modes = (evex ? 1U : 0U) | (broadcast ? 2U : 0U) | (rounds ? 4U : 0U) |
                         (avx.has_sae ? 8U : 0U) | (evex && instruction.raw.evex.z != 0 ? 16U : 0U);
  FormKey key{};
  key[0] = packed({instruction.mnemonic, modes}) << 32 |
           ((instruction.attributes & kPrefixes) >> 16 & 0xffff'ffff);
  for (int i = 0; i < instruction.operand_count_visible && i + 1 < static_cast<int>(key.size());
       ++i) {
    key.at(static_cast<std::size_t>(i + 1)) =
        operand_key(decoded.storage.at(static_cast<std::size_t>(i)));
  }
  return key;
}

struct FormKeyHash {
  std::size_t operator()(const FormKey& key) const {
    std::uint64_t hash = 0;
    for (const std::uint64_t word : key) hash = (hash ^ word) * 0x9e3779b97f4a7c15 ^ hash >> 29;
    return hash;
  }
};

std::vector<InstructionForm> make_forms() {
  std::map<std::string, InstructionForm, std::less<>> forms;
  std::unordered_set<FormKey, FormKeyHash> known;
  visit_encodings([&](const Decoded& decoded, std::span<const std::uint8_t> code) {
    if (!known.insert(key_of(decoded)).second) return;
    std::string name = name_of(decoded);
    if (forms.contains(name)) return;
    InstructionForm form = make_form(name, decoded, code);
    forms.emplace(std::move(name), std::move(form));
  });
  std::vector<InstructionForm> result;
  for (auto& [name, form] : forms) result.push_back(std::move(form));
  return result;
}

}  // namespace

const std::vector<InstructionForm>& instruction_forms() {
  static const std::vector<InstructionForm> forms = make_forms();
  return forms;
}

const InstructionForm* form_named(std::string_view name) {
  const std::vector<InstructionForm>& forms = instruction_forms();
  const auto found = std::ranges::lower_bound(
      forms, name, {}, [](const InstructionForm& form) { return std::string_view(form.name); });
  return found == forms.end() || found->name != name ? nullptr : &*found;
}

std::vector<AbsentMnemonic> absent_mnemonics() {
  std::set<std::string_view> present;
  for (const InstructionForm& form : instruction_forms()) present.insert(form.mnemonic);
  const OtherMode thirty_two_bits(ZYDIS_MACHINE_MODE_LEGACY_32, false);
  const OtherMode knights_corner(ZYDIS_MACHINE_MODE_LONG_64, true);
  std::vector<AbsentMnemonic> absent;
  for (int i = ZYDIS_MNEMONIC_INVALID + 1; i <= ZYDIS_MNEMONIC_MAX_VALUE; ++i) {
    const auto mnemonic = static_cast<ZydisMnemonic>(i);
    if (present.contains(mnemonic_name(mnemonic))) continue;
    std::string_view reason;
    if (thirty_two_bits.found(mnemonic)) reason = "not in 64-bit mode";
    if (knights_corner.found(mnemonic)) reason = "only on Knights Corner";
    absent.push_back({mnemonic_name(mnemonic), reason});
  }
  absent.push_back({"WBNOINVD", "taken for WBINVD by Zydis"});
  std::ranges::sort(absent, {}, &AbsentMnemonic::name);
  return absent;
}

}  // namespace assay

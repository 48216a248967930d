#include "suites/generate/operand_use.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay {
namespace {

constexpr ZydisAccessedFlagsMask kStatusFlags = ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_PF |
                                                ZYDIS_CPUFLAG_AF | ZYDIS_CPUFLAG_ZF |
                                                ZYDIS_CPUFLAG_SF | ZYDIS_CPUFLAG_OF;

Carrier carrier_of(ZydisRegister reg) {
  switch (ZydisRegisterGetClass(reg)) {
    case ZYDIS_REGCLASS_GPR8:
    case ZYDIS_REGCLASS_GPR16:
    case ZYDIS_REGCLASS_GPR32:
    case ZYDIS_REGCLASS_GPR64:
      return Carrier::kGeneral;
    case ZYDIS_REGCLASS_XMM:
    case ZYDIS_REGCLASS_YMM:
    case ZYDIS_REGCLASS_ZMM:
      return Carrier::kVector;
    case ZYDIS_REGCLASS_MASK:
      return Carrier::kMask;
    case ZYDIS_REGCLASS_MMX:
      return Carrier::kMmx;
    case ZYDIS_REGCLASS_X87:
      return Carrier::kX87;
    case ZYDIS_REGCLASS_FLAGS:
      return Carrier::kFlags;
    default:
      return Carrier::kOther;
  }
}

Place place_of(ZydisRegister reg) {
  const Carrier carrier = carrier_of(reg);
  if (carrier == Carrier::kFlags || carrier == Carrier::kOther) return {carrier, 0};
  const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
  return {carrier, static_cast<std::uint8_t>(
                       ZydisRegisterGetId(whole == ZYDIS_REGISTER_NONE ? reg : whole))};
}

bool is_explicit(const ZydisDecodedOperand& operand) {
  return operand.visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT;
}

/// Whether writing the operand keeps the rest of its vector register: legacy SSE does, VEX and EVEX
/// clear it.
bool merges_vector(const Decoded& decoded, const ZydisDecodedOperand& operand) {
  return !decoded.has_vector_prefix() && operand.size < 128;
}

class UseReader {
 public:
  explicit UseReader(const Decoded& decoded) : decoded_(decoded) {}

  std::vector<OperandUse> read() && {
    for (const ZydisDecodedOperand& operand : decoded_.operands()) {
      name_ = name_next(operand);
      index_ = operand.id;
      if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER) add_register(operand);
      if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) add_memory(operand);
    }
    if (decoded_.instruction.mnemonic == ZYDIS_MNEMONIC_CLZERO) add_line_at_rax();
    return merged(uses_);
  }

 private:
  /// The uses, with those of one place, part and name joined: what is read as one operand may be
  /// written as another (MUL r8: AL and AX).
  static std::vector<OperandUse> merged(const std::vector<OperandUse>& uses) {
    std::vector<OperandUse> result;
    for (const OperandUse& use : uses) {
      const auto same = std::ranges::find_if(result, [&](const OperandUse& other) {
        return other.place == use.place && other.part == use.part && other.name == use.name;
      });
      if (same == result.end()) {
        result.push_back(use);
        continue;
      }
      same->read = same->read || use.read;
      same->written = same->written || use.written;
      same->bits = std::max(same->bits, use.bits);
    }
    return result;
  }

  std::string name_next(const ZydisDecodedOperand& operand) {
    if (operand.encoding == ZYDIS_OPERAND_ENCODING_MASK) return "k";
    if (operand.visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN) return fmt::format("{}", ++number_);
    if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) {
      return fmt::format("[{}]", ZydisRegisterGetString(operand.mem.base));
    }
    if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER) return "";
    if (carrier_of(operand.reg.value) == Carrier::kFlags) return "flags";
    const ZydisRegister whole =
        ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, operand.reg.value);
    return ZydisRegisterGetString(
        carrier_of(operand.reg.value) == Carrier::kGeneral ? whole : operand.reg.value);
  }

  void add_register(const ZydisDecodedOperand& operand) {
    OperandUse use = {.operand = index_, .place = place_of(operand.reg.value), .name = name_};
    if (use.place.carrier == Carrier::kOther || is_unused_mask(operand)) return;
    use.bits = operand.size;
    use.read = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
    use.written = is_written(operand);
    use.chosen = is_explicit(operand);
    if (use.place.carrier == Carrier::kFlags) {
      correct_flags(use, operand);
    } else if (use.written && keeps_a_part(use, operand)) {
      use.read = true;
    }
    if (use.read || use.written) uses_.push_back(std::move(use));
  }

  bool is_unused_mask(const ZydisDecodedOperand& operand) const {
    return operand.encoding == ZYDIS_OPERAND_ENCODING_MASK &&
           operand.reg.value == ZYDIS_REGISTER_K0;
  }

  bool keeps_a_part(const OperandUse& use, const ZydisDecodedOperand& operand) const {
    const ZydisMnemonic mnemonic = decoded_.instruction.mnemonic;
    if (use.operand == 0 && (mnemonic == ZYDIS_MNEMONIC_BSF || mnemonic == ZYDIS_MNEMONIC_BSR)) {
      return true;
    }
    if ((operand.actions & ZYDIS_OPERAND_ACTION_WRITE) == 0) return true;  // only on a condition
    // Writing 32 bits of a general register clears its upper half.
    if (use.place.carrier == Carrier::kGeneral) return operand.size < 32;
    return use.place.carrier == Carrier::kVector && merges_vector(decoded_, operand);
  }

  void correct_flags(OperandUse& use, const ZydisDecodedOperand& operand) const {
    const ZydisAccessedFlags* flags = decoded_.instruction.cpu_flags;
    if (flags == nullptr) return;
    const bool on_condition = (operand.actions & ZYDIS_OPERAND_ACTION_CONDWRITE) != 0;
    // The operand's access is of no use here: Zydis 4.0 says that ADCX, ADOX and CMC only read.
    use.written =
        ((flags->modified | flags->set_0 | flags->set_1 | flags->undefined) & kStatusFlags) != 0;
    use.read = (flags->tested & kStatusFlags) != 0 || (use.written && on_condition);
  }

  void add_memory(const ZydisDecodedOperand& operand) {
    add_address_register(operand, operand.mem.base, Part::kBase);
    add_address_register(operand, operand.mem.index, Part::kIndex);
    if (!accesses_memory(decoded_, operand)) return;
    uses_.push_back({.operand = index_,
                     .place = {Carrier::kMemory, index_},
                     .bits = operand.size,
                     .read = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0,
                     .written = is_written(operand),
                     .name = name_});
  }

  void add_address_register(const ZydisDecodedOperand& operand, ZydisRegister reg, Part part) {
    if (carrier_of(reg) == Carrier::kOther) return;
    uses_.push_back({.operand = index_,
                     .part = part,
                     .place = place_of(reg),
                     .bits = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, reg),
                     .read = true,
                     .chosen = is_explicit(operand),
                     .name = name_ + (part == Part::kBase ? ".base" : ".index")});
  }

  void add_line_at_rax() {
    for (OperandUse& use : uses_) {
      if (use.place == Place{Carrier::kGeneral, 0}) use.part = Part::kBase;
    }
    uses_.push_back({.operand = index_,
                     .place = {Carrier::kMemory, index_ + 1},
                     .bits = 512,
                     .written = true,
                     .name = "[rax]"});
  }

  const Decoded& decoded_;
  std::vector<OperandUse> uses_;
  std::string name_;
  int number_ = 0;
  int index_ = 0;
};

}  // namespace

std::vector<OperandUse> uses_of(const Decoded& decoded) { return UseReader(decoded).read(); }

}  // namespace assay

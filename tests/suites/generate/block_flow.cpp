#include "tests/suites/generate/block_flow.h"

#include <fmt/format.h>

#include <span>

#include "suites/generate/form_name.h"

namespace assay {
namespace {

std::string whole(ZydisRegister reg) {
  if (reg >= ZYDIS_REGISTER_XMM0 && reg <= ZYDIS_REGISTER_ZMM31) {
    return fmt::format("v{}", static_cast<int>(ZydisRegisterGetId(reg)));
  }
  const ZydisRegister parent = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
  return ZydisRegisterGetString(parent == ZYDIS_REGISTER_NONE ? reg : parent);
}

bool has_address(const ZydisDecodedOperand& operand) {
  return operand.type == ZYDIS_OPERAND_TYPE_MEMORY;
}

/// The name of a memory operand's address. The displacement is enough, since all bases of one form
/// hold the same address, and indices are 0.
std::string address(const ZydisDecodedOperand& operand) {
  return fmt::format("[{:+}]", operand.mem.disp.value);
}

/// Whether the result does not depend on the registers: xor of a register with itself, and the
/// like.
bool is_idiom(const Decoded& decoded) {
  switch (decoded.instruction.mnemonic) {
    case ZYDIS_MNEMONIC_VPXOR:
    case ZYDIS_MNEMONIC_VPXORD:
    case ZYDIS_MNEMONIC_VPCMPEQD:
      break;
    default:
      return false;
  }
  const auto& last = decoded.storage[decoded.instruction.operand_count_visible - 1];
  const auto& before = decoded.storage[decoded.instruction.operand_count_visible - 2];
  return last.type == ZYDIS_OPERAND_TYPE_REGISTER && before.type == ZYDIS_OPERAND_TYPE_REGISTER &&
         last.reg.value == before.reg.value;
}

class FlowReader {
 public:
  explicit FlowReader(const Decoded& decoded) : decoded_(decoded) {}

  Flow read() {
    flow_.form = name_of(decoded_);
    for (const ZydisDecodedOperand& operand : decoded_.operands()) add(operand);
    correct();
    return flow_;
  }

 private:
  void add(const ZydisDecodedOperand& operand) {
    const bool mask = operand.encoding == ZYDIS_OPERAND_ENCODING_MASK;
    std::string name;
    if (operand.visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN && !mask) {
      name = fmt::format("{}", ++number_);
    }
    if (has_address(operand)) {
      if (name.empty()) name = fmt::format("[{}]", ZydisRegisterGetString(operand.mem.base));
      add_address(operand, name);
    } else if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER &&
               operand.reg.value != ZYDIS_REGISTER_K0) {
      const bool flags = operand.reg.value == ZYDIS_REGISTER_RFLAGS;
      const std::string place = flags ? "flags" : whole(operand.reg.value);
      access(operand, place);
      if (name.empty()) name = place.starts_with("v") ? "xmm" + place.substr(1) : place;
      flow_.named[mask ? std::string("k") : name] = place;
    }
  }

  /// Corrects what Zydis 4.0 says wrongly or not at all, by the manuals of Intel and AMD.
  void correct() {
    switch (decoded_.instruction.mnemonic) {
      case ZYDIS_MNEMONIC_ADCX:
      case ZYDIS_MNEMONIC_ADOX:
      case ZYDIS_MNEMONIC_CMC:
        flow_.writes.insert("flags");
        break;
      case ZYDIS_MNEMONIC_CMPSB:
        flow_.reads.erase("flags");  // it only reads DF
        change("rsi");
        change("rdi");
        break;
      case ZYDIS_MNEMONIC_SCASQ:
        flow_.reads.erase("flags");
        change("rdi");
        break;
      case ZYDIS_MNEMONIC_BSF:
      case ZYDIS_MNEMONIC_BSR:
        flow_.reads.insert(flow_.named.at("1"));
        break;
      default:
        break;
    }
  }

  void change(const std::string& reg) {
    flow_.reads.insert(reg);
    flow_.writes.insert(reg);
    flow_.named[reg] = reg;
  }

  void add_address(const ZydisDecodedOperand& operand, const std::string& name) {
    for (const auto& [reg, part] :
         {std::pair(operand.mem.base, ".base"), std::pair(operand.mem.index, ".index")}) {
      if (reg == ZYDIS_REGISTER_NONE) continue;
      flow_.reads.insert(whole(reg));
      flow_.named[name + part] = whole(reg);
    }
    if (operand.mem.type == ZYDIS_MEMOP_TYPE_AGEN) return;
    access(operand, address(operand));
    flow_.named[name] = address(operand);
  }

  void access(const ZydisDecodedOperand& operand, const std::string& place) {
    const bool reads = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
    const bool writes = is_written(operand);
    if (reads && !is_idiom(decoded_)) flow_.reads.insert(place);
    if (writes) flow_.writes.insert(place);
    // A part of the old value may stay.
    const bool maybe = (operand.actions & ZYDIS_OPERAND_ACTION_WRITE) == 0;
    const bool narrow = operand.type == ZYDIS_OPERAND_TYPE_REGISTER &&
                        ZydisRegisterGetClass(operand.reg.value) <= ZYDIS_REGCLASS_GPR16;
    if (writes && !has_address(operand) && (maybe || narrow)) flow_.reads.insert(place);
  }

  const Decoded& decoded_;
  Flow flow_;
  int number_ = 0;
};

}  // namespace

std::vector<Flow> flows_of(const Bytes& block) {
  std::vector<Flow> flows;
  for (std::span<const std::uint8_t> rest(block); !rest.empty();) {
    const auto decoded = decode_one(rest);
    if (!decoded) break;
    flows.push_back(FlowReader(*decoded).read());
    rest = rest.subspan(decoded->instruction.length);
  }
  return flows;
}

}  // namespace assay

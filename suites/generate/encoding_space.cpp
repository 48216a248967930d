#include "suites/generate/encoding_space.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <vector>

namespace assay {
namespace {

constexpr std::size_t kLongest = 15;
constexpr unsigned kOpcodes = 256;

/// A ModRM byte and, where that asks for one, the SIB byte.
struct ModRm {
  std::uint8_t modrm = 0;
  std::uint8_t sib = 0;
};

/// How many kinds an operand of ModRM.rm has: a register, memory, memory with an index.
constexpr std::size_t kWays = 3;

constexpr unsigned kRegisterMod = 0xc0;
constexpr unsigned kBaseRdx = 2;  // [rdx]
constexpr unsigned kHasSib = 4;
constexpr std::uint8_t kSib = 0x1a;  // [rdx + 3 * 1]: rbx, or vector register 3

ModRm modrm_of(unsigned mod, unsigned reg, unsigned rm, std::uint8_t sib = 0) {
  return {static_cast<std::uint8_t>(mod | reg << 3 | rm), sib};
}

std::vector<ModRm> make_modrms(unsigned registers_of_rm) {
  std::vector<ModRm> result;
  for (unsigned reg = 0; reg < 8; ++reg) {
    // Distinct registers come first: a form's example is the first instruction found of it, and
    // should not be one with equal operands.
    for (unsigned rm = 0; rm < registers_of_rm; ++rm) {
      result.push_back(modrm_of(kRegisterMod, reg, (reg + 1 + rm) % 8));
    }
    result.push_back(modrm_of(0, reg, kBaseRdx));
    result.push_back(modrm_of(0, reg, kHasSib, kSib));
  }
  return result;
}

class Walk {
 public:
  explicit Walk(const InstructionVisitor& visit) : visit_(visit) {}

  void legacy() {
    for (const Prefixes& prefixes : kPrefixes) {
      for (const bool wide : {false, true}) {
        for (const Escape& escape : kEscapes) {
          start(prefixes);
          if (wide) add({0x48});
          add(escape);
          opcodes(every_register_);
        }
      }
    }
  }

  void three_d_now() {
    for (const ModRm form : {modrm_of(kRegisterMod, 0, 1), modrm_of(0, 0, kBaseRdx)}) {
      for (unsigned suffix = 0; suffix < kOpcodes; ++suffix) {
        start({0x0f, 0x0f, form.modrm, suffix});
        decode();
      }
    }
  }

  void vex() {
    for (const unsigned map : {1U, 2U, 3U}) vex_map(0xc4, map);
    for (const unsigned map : {8U, 9U, 10U}) vex_map(0x8f, map);
  }

  void evex() {
    for (const unsigned map : {1U, 2U, 3U, 5U, 6U}) {
      reg_selects_.fill(false);
      // For a few opcodes, ModRM.reg selects the instruction. The first pass, without broadcast and
      // zeroing, finds out for which; the second, larger one tries a single reg for all other
      // opcodes.
      for (const bool plain : {true, false}) {
        for (unsigned fields = 0; fields < 1U << 9; ++fields) evex_fields(map, fields, plain);
      }
    }
  }

 private:
  using Prefixes = std::initializer_list<unsigned>;
  using Escape = std::initializer_list<unsigned>;
  static constexpr Prefixes kPrefixes[] = {{},           {0x66}, {0xf2},       {0xf3}, {0x66, 0xf2},
                                           {0x66, 0xf3}, {0xf0}, {0x66, 0xf0}, {0x67}};
  static constexpr Escape kEscapes[] = {{}, {0x0f}, {0x0f, 0x38}, {0x0f, 0x3a}};

  void start(std::initializer_list<unsigned> bytes) {
    length_ = 0;
    code_.fill(0);
    add(bytes);
  }

  void add(std::initializer_list<unsigned> bytes) {
    for (const unsigned byte : bytes) code_.at(length_++) = static_cast<std::uint8_t>(byte);
  }

  /// Visits every opcode behind the bytes written so far, with each of these ModRMs.
  void opcodes(const std::vector<ModRm>& modrms) {
    for (unsigned opcode = 0; opcode < kOpcodes; ++opcode) {
      code_.at(length_) = static_cast<std::uint8_t>(opcode);
      for (const ModRm& form : modrms) decode(form);
    }
  }

  ZydisMnemonic decode() {
    const auto decoded = decode_one(std::span(code_).first(kLongest));
    if (!decoded) return ZYDIS_MNEMONIC_INVALID;
    visit_(*decoded, std::span(code_).first(decoded->instruction.length));
    return decoded->instruction.mnemonic;
  }

  ZydisMnemonic decode(const ModRm& form) {
    code_.at(length_ + 1) = form.modrm;
    code_.at(length_ + 2) = form.sib;
    return decode();
  }

  /// Visits every opcode behind the EVEX prefix that has been written.
  void evex_opcodes(bool plain) {
    for (unsigned opcode = 0; opcode < kOpcodes; ++opcode) {
      code_.at(length_) = static_cast<std::uint8_t>(opcode);
      std::array<ZydisMnemonic, kWays> first{};
      for (std::size_t i = 0; i < one_register_.size(); ++i) {
        if (i >= kWays && !plain && !reg_selects_.at(opcode)) break;
        const ZydisMnemonic mnemonic = decode(one_register_[i]);
        if (i < kWays) first.at(i) = mnemonic;
        if (mnemonic != first.at(i % kWays)) reg_selects_.at(opcode) = true;
      }
    }
  }

  // Fields of VEX, XOP and EVEX that name registers are stored inverted: vvvv is 1111 where it is
  // unused, and 1010 for register 5.
  void vex_map(unsigned escape, unsigned map) {
    for (unsigned fields = 0; fields < 1U << 4; ++fields) {
      const unsigned pp_and_l = fields & 7;
      const unsigned w = fields >> 3 & 1;
      for (const unsigned vvvv : {0xfU, 0xaU}) {
        start({escape, 0xe0 | map, w << 7 | vvvv << 3 | pp_and_l});
        opcodes(every_register_);
      }
    }
  }

  /// `fields`: pp (2 bits), W, b, masked, zeroing, L'L (2), vvvv used, from the lowest.
  void evex_fields(unsigned map, unsigned fields, bool plain) {
    const unsigned pp = fields & 3;
    const unsigned w = fields >> 2 & 1;
    const unsigned b = fields >> 3 & 1;
    const unsigned masked = fields >> 4 & 1;
    const unsigned zeroing = fields >> 5 & 1;
    const unsigned length = fields >> 6 & 3;
    const unsigned vvvv = (fields >> 8 & 1) != 0 ? 0xaU : 0xfU;
    if (zeroing > masked || plain != (b == 0 && zeroing == 0)) return;
    // The 4 is a bit that is always set, the 8 is V' (inverted like vvvv), and the mask is k1 or
    // none.
    start({0x62, 0xf0 | map, w << 7 | vvvv << 3 | 4 | pp,
           zeroing << 7 | length << 5 | b << 4 | 8 | masked});
    evex_opcodes(plain);
  }

  const InstructionVisitor& visit_;
  const std::vector<ModRm> every_register_ = make_modrms(8);
  const std::vector<ModRm> one_register_ = make_modrms(1);
  std::array<bool, kOpcodes> reg_selects_{};  ///< ModRM.reg selects the instruction; by opcode
  std::array<std::uint8_t, kLongest + 9> code_{};
  std::size_t length_ = 0;
};

}  // namespace

void visit_encodings(const InstructionVisitor& visit) {
  Walk walk(visit);
  walk.legacy();
  walk.three_d_now();
  walk.vex();
  walk.evex();
}

}  // namespace assay

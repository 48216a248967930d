#include "suites/generate/chain.h"

#include <fmt/format.h>

#include <array>
#include <optional>

namespace assay {
namespace {

ZydisEncoderOperand general(int number, int bits = 64) {
  return register_operand(register_of(Carrier::kGeneral, number, bits));
}
ZydisEncoderOperand vector(int number, int bits = 128) {
  return register_operand(register_of(Carrier::kVector, number, bits));
}
ZydisEncoderOperand other(Carrier carrier, int number) {
  return register_operand(register_of(carrier, number, 64));
}
ZydisEncoderOperand memory(const Location& at, int bits) {
  return memory_operand(register_of(Carrier::kGeneral, at.base, 64), at.displacement, bits);
}

bool is_general_sized(int bits) { return bits == 8 || bits == 16 || bits == 32 || bits == 64; }

/// A conditional move that reads one of the flags that the instruction computes.
ZydisMnemonic move_on_a_written_flag(const Decoded& decoded) {
  struct Choice {
    ZydisAccessedFlagsMask flag;
    ZydisMnemonic mnemonic;
  };
  constexpr std::array kChoices = {Choice{ZYDIS_CPUFLAG_ZF, ZYDIS_MNEMONIC_CMOVZ},
                                   Choice{ZYDIS_CPUFLAG_CF, ZYDIS_MNEMONIC_CMOVB},
                                   Choice{ZYDIS_CPUFLAG_SF, ZYDIS_MNEMONIC_CMOVS},
                                   Choice{ZYDIS_CPUFLAG_OF, ZYDIS_MNEMONIC_CMOVO},
                                   Choice{ZYDIS_CPUFLAG_PF, ZYDIS_MNEMONIC_CMOVP}};
  const ZydisAccessedFlags* flags = decoded.instruction.cpu_flags;
  if (flags != nullptr) {
    for (const Choice& choice : kChoices) {
      if ((flags->modified & choice.flag) != 0) return choice.mnemonic;
    }
  }
  throw NoBlock("it computes no status flag");
}

/// A general register, and how many of its bits hold the value that is passed on.
struct Carried {
  int number = 0;
  int bits = 64;
};

class ChainBuilder {
 public:
  ChainBuilder(BlockDraft& draft, const OperandUse& written, const OperandUse& read,
               const OperandChoice& choice)
      : draft_(draft),
        written_(written),
        read_(read),
        choice_(choice),
        to_(BlockDraft::place_in(read, choice)),
        from_(BlockDraft::place_in(written, choice)),
        need_(need_of(draft.example(), read)) {}

  Chain build() && {
    if (!add_direct()) add_end(add_start());
    return std::move(chain_);
  }

 private:
  bool keeps_value() const { return need_.kind != Need::Kind::kAnything; }

  void off_path(const Bytes& code) {
    chain_.code.insert(chain_.code.end(), code.begin(), code.end());
  }

  void on_path(const Bytes& code) {
    chain_.helpers.push_back(form_name_of(code));
    off_path(code);
  }

  void on_path(ZydisMnemonic mnemonic, const std::vector<ZydisEncoderOperand>& operands) {
    on_path(encode_instruction(mnemonic, operands));
  }

  ZydisMnemonic vex(ZydisMnemonic legacy, ZydisMnemonic with_vex) const {
    return draft_.vector_mnemonic(legacy, with_vex);
  }

  Location location(const OperandUse& use) { return draft_.location_of(use, choice_); }

  /// Adds the chain if a single helper does it: between vectors, and between vectors and memory,
  /// where the value does not matter. False if it takes more.
  bool add_direct() {
    const bool from_vector = from_.carrier == Carrier::kVector;
    const bool to_vector = to_.carrier == Carrier::kVector;
    if (from_vector && to_vector && read_.part == Part::kIndex) {
      add_zeros(from_.number);
    } else if (keeps_value()) {
      return false;
    } else if (from_vector && to_vector) {
      on_path(vex(ZYDIS_MNEMONIC_PSHUFD, ZYDIS_MNEMONIC_VPSHUFD),
              {vector(to_.number), vector(from_.number), immediate_operand(0)});
    } else if (from_vector && to_.carrier == Carrier::kMemory &&
               draft_.has_vectors_of(read_.bits) && !memory_word_need(draft_.example())) {
      store_vector(from_.number);
    } else if (from_.carrier == Carrier::kMemory && to_vector &&
               draft_.has_vectors_of(written_.bits)) {
      on_path(vex(ZYDIS_MNEMONIC_MOVUPS, ZYDIS_MNEMONIC_VMOVUPS),
              {vector(to_.number, written_.bits), memory(location(written_), written_.bits)});
    } else {
      return false;
    }
    return true;
  }

  /// Adds code that brings what was written into a general register.
  Carried add_start() {
    switch (from_.carrier) {
      case Carrier::kGeneral:
        return {from_.number, written_.bits};
      case Carrier::kVector:
        return into_general(vex(ZYDIS_MNEMONIC_MOVQ, ZYDIS_MNEMONIC_VMOVQ), vector(from_.number));
      case Carrier::kMask:
        return into_general(ZYDIS_MNEMONIC_KMOVQ, other(Carrier::kMask, from_.number));
      case Carrier::kMmx:
        return into_general(ZYDIS_MNEMONIC_MOVQ, other(Carrier::kMmx, from_.number));
      case Carrier::kFlags:
        return from_flags();
      case Carrier::kMemory:
        return load();
      default:
        throw NoBlock("no helper reads " + written_.name);
    }
  }

  /// The register for the first helper's result: the one that is read if it is a general register
  /// whose value does not matter, else a temporary one.
  int first_register() {
    const bool direct = to_.carrier == Carrier::kGeneral && !keeps_value();
    return direct ? to_.number : draft_.take(Carrier::kGeneral);
  }

  Carried into_general(ZydisMnemonic mnemonic, const ZydisEncoderOperand& from) {
    const int number = first_register();
    on_path(mnemonic, {general(number), from});
    return {number, 64};
  }

  /// Adds a conditional move of a constant onto the same constant: the register's value is the same
  /// whatever the flag says, but it waits for the flag, and for nothing else.
  void move_on_flag(ZydisMnemonic mnemonic, int number, int constant) {
    off_path(encode_instruction(ZYDIS_MNEMONIC_MOV, {general(number), general(constant)}));
    on_path(mnemonic, {general(number), general(constant)});
  }

  Carried from_flags() {
    const ZydisMnemonic mnemonic = move_on_a_written_flag(draft_.example());
    const bool kept = keeps_value() && to_.carrier == Carrier::kGeneral;
    const int number = kept ? to_.number : first_register();
    move_on_flag(mnemonic, number, kept ? kept_constant() : kGeneralConstant);
    finished_ = kept;
    return {number, 64};
  }

  Carried load() {
    if (written_.bits < 32 && !is_general_sized(written_.bits)) {
      throw NoBlock(fmt::format("no helper reads {} bits of memory", written_.bits));
    }
    const int number = first_register();
    const Location at = location(written_);
    if (written_.bits < 32) {
      on_path(ZYDIS_MNEMONIC_MOVZX, {general(number, 32), memory(at, written_.bits)});
    } else if (written_.bits < 64) {
      on_path(ZYDIS_MNEMONIC_MOV, {general(number, 32), memory(at, 32)});
    } else {
      on_path(ZYDIS_MNEMONIC_MOV, {general(number), memory(at, 64)});
    }
    return {number, 64};
  }

  /// Adds code that brings what a general register carries to where it is read.
  void add_end(const Carried& carried) {
    if (finished_) return;
    switch (to_.carrier) {
      case Carrier::kGeneral:
        return keeps_value() ? keep(carried, to_.number) : extend(carried);
      case Carrier::kVector:
        return into_vector(carried);
      case Carrier::kMask:
        return on_path(ZYDIS_MNEMONIC_KMOVQ,
                       {other(Carrier::kMask, to_.number), general(with_need(carried).number)});
      case Carrier::kMmx:
        return on_path(ZYDIS_MNEMONIC_MOVQ,
                       {other(Carrier::kMmx, to_.number), general(carried.number)});
      case Carrier::kFlags:
        return test(carried);
      case Carrier::kMemory:
        return store(carried);
      default:
        throw NoBlock("no helper writes " + read_.name);
    }
  }

  void extend(const Carried& carried) {
    if (carried.number == to_.number && from_.carrier != Carrier::kGeneral) return;
    const ZydisMnemonic mnemonic =
        carried.bits >= 32 ? ZYDIS_MNEMONIC_MOVSXD : ZYDIS_MNEMONIC_MOVSX;
    on_path(mnemonic,
            {general(to_.number), general(carried.number, carried.bits >= 32 ? 32 : carried.bits)});
  }

  void test(const Carried& carried) {
    const auto tested = general(carried.number, carried.bits);
    on_path(ZYDIS_MNEMONIC_TEST, {tested, tested});
    chain_.writes_flags = true;
  }

  int kept_constant() {
    const bool is_base = read_.part == Part::kBase && read_.chosen;
    return is_base ? kMemoryBase : draft_.constant(need_, to_.number);
  }

  void keep(const Carried& carried, int number) {
    test(carried);
    move_on_flag(ZYDIS_MNEMONIC_CMOVZ, number, kept_constant());
  }

  /// If the form needs a certain number, adds code that puts it into another register, which waits
  /// for the one that is carried; else gives that one back.
  Carried with_need(const Carried& carried) {
    if (need_.kind != Need::Kind::kNumber) return carried;
    const int number = draft_.take(Carrier::kGeneral);
    keep(carried, number);
    return {number, 64};
  }

  void into_vector(const Carried& carried) {
    if (keeps_value() && read_.part != Part::kIndex) {
      throw NoBlock("no helper fills a vector mask and keeps it");
    }
    const bool index = read_.part == Part::kIndex;
    const int number = index ? draft_.take(Carrier::kVector) : to_.number;
    on_path(vex(ZYDIS_MNEMONIC_MOVQ, ZYDIS_MNEMONIC_VMOVQ),
            {vector(number), general(carried.number)});
    if (index) add_zeros(number);
  }

  /// Adds code that sets the register that is read to zeros which wait for the vector `waited_for`.
  void add_zeros(int waited_for) {
    const int zero = draft_.take(Carrier::kVector);
    off_path(encode_instruction(ZYDIS_MNEMONIC_VPXOR, {vector(zero), vector(zero), vector(zero)}));
    on_path(ZYDIS_MNEMONIC_VPAND, {vector(to_.number), vector(waited_for), vector(zero)});
  }

  void store_vector(int number) {
    on_path(vex(ZYDIS_MNEMONIC_MOVUPS, ZYDIS_MNEMONIC_VMOVUPS),
            {memory(location(read_), read_.bits), vector(number, read_.bits)});
  }

  void store(const Carried& carried) {
    Carried value = carried;
    if (const auto word = memory_word_need(draft_.example())) {
      const int number = draft_.take(Carrier::kGeneral);
      test(carried);
      move_on_flag(ZYDIS_MNEMONIC_CMOVZ, number,
                   draft_.constant({Need::Kind::kNumber, *word}, number));
      value = {number, 64};
    }
    if (is_general_sized(read_.bits)) {
      on_path(ZYDIS_MNEMONIC_MOV,
              {memory(location(read_), read_.bits), general(value.number, read_.bits)});
    } else if (draft_.has_vectors_of(read_.bits)) {
      const int number = draft_.take(Carrier::kVector);
      on_path(vex(ZYDIS_MNEMONIC_MOVQ, ZYDIS_MNEMONIC_VMOVQ),
              {vector(number), general(value.number)});
      store_vector(number);
    } else {
      throw NoBlock(fmt::format("no helper writes {} bits of memory", read_.bits));
    }
  }

  BlockDraft& draft_;
  const OperandUse& written_;
  const OperandUse& read_;
  const OperandChoice& choice_;
  Place to_;
  Place from_;
  Need need_;
  bool finished_ = false;
  Chain chain_;
};

}  // namespace

Chain chain_between(BlockDraft& draft, const OperandUse& written, const OperandUse& read,
                    const OperandChoice& choice) {
  return ChainBuilder(draft, written, read, choice).build();
}

}  // namespace assay

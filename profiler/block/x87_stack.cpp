#include "profiler/block/x87_stack.h"

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <optional>
#include <span>

#include "profiler/block/zydis.h"

namespace assay {
namespace {

constexpr unsigned kRegisters = 8;

/// How many registers an instruction pops off the stack, and how many it pushes then.
struct Movement {
  ZydisMnemonic mnemonic;
  int pops;
  int pushes;
};

/// The instructions that always move the top of the stack.
constexpr Movement kMovements[] = {
    {ZYDIS_MNEMONIC_FLD, 0, 1},     {ZYDIS_MNEMONIC_FILD, 0, 1},    {ZYDIS_MNEMONIC_FBLD, 0, 1},
    {ZYDIS_MNEMONIC_FLD1, 0, 1},    {ZYDIS_MNEMONIC_FLDL2E, 0, 1},  {ZYDIS_MNEMONIC_FLDL2T, 0, 1},
    {ZYDIS_MNEMONIC_FLDLG2, 0, 1},  {ZYDIS_MNEMONIC_FLDLN2, 0, 1},  {ZYDIS_MNEMONIC_FLDPI, 0, 1},
    {ZYDIS_MNEMONIC_FLDZ, 0, 1},    {ZYDIS_MNEMONIC_FPTAN, 0, 1},   {ZYDIS_MNEMONIC_FSINCOS, 0, 1},
    {ZYDIS_MNEMONIC_FXTRACT, 0, 1}, {ZYDIS_MNEMONIC_FADDP, 1, 0},   {ZYDIS_MNEMONIC_FMULP, 1, 0},
    {ZYDIS_MNEMONIC_FSUBP, 1, 0},   {ZYDIS_MNEMONIC_FSUBRP, 1, 0},  {ZYDIS_MNEMONIC_FDIVP, 1, 0},
    {ZYDIS_MNEMONIC_FDIVRP, 1, 0},  {ZYDIS_MNEMONIC_FCOMP, 1, 0},   {ZYDIS_MNEMONIC_FCOMIP, 1, 0},
    {ZYDIS_MNEMONIC_FUCOMP, 1, 0},  {ZYDIS_MNEMONIC_FUCOMIP, 1, 0}, {ZYDIS_MNEMONIC_FICOMP, 1, 0},
    {ZYDIS_MNEMONIC_FISTP, 1, 0},   {ZYDIS_MNEMONIC_FISTTP, 1, 0},  {ZYDIS_MNEMONIC_FBSTP, 1, 0},
    {ZYDIS_MNEMONIC_FSTP, 1, 0},    {ZYDIS_MNEMONIC_FSTPNCE, 1, 0}, {ZYDIS_MNEMONIC_FPATAN, 1, 0},
    {ZYDIS_MNEMONIC_FYL2X, 1, 0},   {ZYDIS_MNEMONIC_FYL2XP1, 1, 0}, {ZYDIS_MNEMONIC_FCOMPP, 2, 0},
    {ZYDIS_MNEMONIC_FUCOMPP, 2, 0},
};

bool is_x87_register(const ZydisDecodedOperand& operand) {
  return operand.type == ZYDIS_OPERAND_TYPE_REGISTER &&
         ZydisRegisterGetClass(operand.reg.value) == ZYDIS_REGCLASS_X87;
}

bool names_mmx_register(const Decoded& decoded) {
  return std::ranges::any_of(decoded.operands(), [](const ZydisDecodedOperand& operand) {
    return operand.type == ZYDIS_OPERAND_TYPE_REGISTER &&
           ZydisRegisterGetClass(operand.reg.value) == ZYDIS_REGCLASS_MMX;
  });
}

/// Which registers are not empty, and which of them is ST(0).
class Stack {
 public:
  bool operator==(const Stack&) const = default;

  /// Executes the instruction. False if the stack overflows or underflows, or may do so.
  bool run(const Decoded& decoded) {
    const ZydisDecodedInstruction& instruction = decoded.instruction;
    switch (instruction.mnemonic) {
      case ZYDIS_MNEMONIC_FNINIT:
      case ZYDIS_MNEMONIC_FNSAVE:
        *this = {};
        return true;
      case ZYDIS_MNEMONIC_EMMS:
      case ZYDIS_MNEMONIC_FEMMS:
        full_.reset();
        return true;
      case ZYDIS_MNEMONIC_FLDENV:
      // What they load from memory, tags included, is unknown.
      case ZYDIS_MNEMONIC_FRSTOR:
        return false;
      case ZYDIS_MNEMONIC_FINCSTP:
        ++top_;
        return true;
      case ZYDIS_MNEMONIC_FDECSTP:
        --top_;
        return true;
      case ZYDIS_MNEMONIC_FXAM:  // it may read an empty register: it reports that it is empty
        return true;
      case ZYDIS_MNEMONIC_FFREE:
      case ZYDIS_MNEMONIC_FFREEP:
        full_.reset(place(decoded.storage[0]));
        if (instruction.mnemonic == ZYDIS_MNEMONIC_FFREEP) pop();
        return true;
      default:
        break;
    }
    if (names_mmx_register(decoded)) {
      // An MMX instruction sets the top to 0 and marks all registers as full.
      top_ = 0;
      full_.set();
      return true;
    }
    return compute(decoded);
  }

 private:
  bool compute(const Decoded& decoded) {
    for (const ZydisDecodedOperand& operand : decoded.operands()) {
      if (is_x87_register(operand) && needs_value(operand) && !full_[place(operand)]) return false;
    }
    const ZydisMnemonic mnemonic = decoded.instruction.mnemonic;
    if (mnemonic == ZYDIS_MNEMONIC_FST || mnemonic == ZYDIS_MNEMONIC_FSTP ||
        mnemonic == ZYDIS_MNEMONIC_FSTPNCE) {
      if (is_x87_register(decoded.storage[0])) full_.set(place(decoded.storage[0]));
    }
    const auto* const movement = std::ranges::find(kMovements, mnemonic, &Movement::mnemonic);
    if (movement == std::end(kMovements)) return true;
    for (int i = 0; i < movement->pops; ++i) pop();
    return movement->pushes == 0 || push();
  }

  /// Whether the register must not be empty: the operand is read, or is written only on a
  /// condition, so that it may have to keep its value.
  static bool needs_value(const ZydisDecodedOperand& operand) {
    return (operand.actions & (ZYDIS_OPERAND_ACTION_MASK_READ | ZYDIS_OPERAND_ACTION_CONDWRITE)) !=
           0;
  }

  /// The number of the physical register that holds ST(i).
  unsigned place(const ZydisDecodedOperand& operand) const {
    return (top_ + static_cast<unsigned>(ZydisRegisterGetId(operand.reg.value))) % kRegisters;
  }

  void pop() {
    full_.reset(top_ % kRegisters);
    ++top_;
  }

  bool push() {
    --top_;
    if (full_[top_ % kRegisters]) return false;
    full_.set(top_ % kRegisters);
    return true;
  }

  std::bitset<kRegisters> full_;
  std::uint8_t top_ = 0;  ///< number of the register that is ST(0), modulo kRegisters
};

}  // namespace

bool unbalances_x87_stack(const Block& block) {
  if (!block.registers.x87) return false;
  // There are 8 tops and 2^8 sets of tags: a stack that has not failed by then repeats itself.
  constexpr int kStates = 8 * 256;
  Stack stack;
  for (int copy = 0; copy < kStates; ++copy) {
    const Stack before = stack;
    for (const Instruction& instruction : block.instructions) {
      const auto decoded = decode_one(std::span(block.bytes).subspan(instruction.offset));
      if (!stack.run(*decoded)) return true;
    }
    if (stack == before) return false;
  }
  return false;
}

}  // namespace assay

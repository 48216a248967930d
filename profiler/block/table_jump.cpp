#include "profiler/block/table_jump.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "profiler/block/zydis.h"

namespace assay {
namespace {

/// The hardware number of the general register that `reg` is or is a part of; nothing for others.
std::optional<int> register_number(ZydisRegister reg) {
  const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
  if (ZydisRegisterGetClass(whole) != ZYDIS_REGCLASS_GPR64) return std::nullopt;
  return ZydisRegisterGetId(whole);
}

/// Whether a function must preserve the register for its caller: rbx, rbp and r12 to r15.
bool survives_calls(int reg) { return reg == 3 || reg == 5 || reg >= 12; }

/// The immediate in an operand of `width` bits, without sign extension.
std::uint64_t bits_of(const ZydisDecodedOperand& immediate, int width) {
  const std::uint64_t value = immediate.imm.value.u;
  return width >= 64 ? value : value & ((std::uint64_t{1} << width) - 1);
}

/// The address that `lea reg, [rip + N]`, which stands at `address`, loads; nothing for any other
/// instruction.
std::optional<std::uint64_t> loaded_address(const Decoded& decoded, std::uint64_t address) {
  const ZydisDecodedOperand& source = decoded.storage[1];
  if (decoded.instruction.mnemonic != ZYDIS_MNEMONIC_LEA || source.mem.base != ZYDIS_REGISTER_RIP ||
      decoded.instruction.operand_width != 64) {
    return std::nullopt;
  }
  return address + decoded.instruction.length + static_cast<std::uint64_t>(source.mem.disp.value);
}

/// What is known of a value. Values whose content is unknown are numbered: the same number stands
/// for the same value.
struct Value {
  enum class Kind : std::uint8_t {
    kNumber,   ///< an unknown value, identified by its number alone
    kAddress,  ///< the constant `address`
    kOffset,   ///< 4 * the value with that number
    kEntry32,  ///< the 32-bit table entry at address + 4 * the value with that number
    kEntry64,  ///< the 64-bit table entry at address + 8 * the value with that number
    kPlace,    ///< base + a 32-bit entry as in kEntry32
  };
  Kind kind = Kind::kNumber;
  std::uint32_t number = 0;   ///< number of the value itself, or of the index of an entry
  std::uint64_t address = 0;  ///< the constant, or the table's address
  std::uint64_t base = 0;
  bool pointer = false;  ///< whether it was loaded from memory without an index
  /// Whether an entry was addressed by an address plus a kOffset. The sum alone does not tell which
  /// part of it is the table.
  bool by_offset = false;
};

/// Executes a path symbolically, on what is known of values.
class PathReader {
 public:
  explicit PathReader(const ConstantRegisters* constants) {
    for (int i = 0; i < kGeneralRegisters; ++i) {
      Value& value = registers_[static_cast<std::size_t>(i)];
      value = fresh();
      if (constants == nullptr) continue;
      const auto known = constants->value(static_cast<GeneralRegister>(i));
      if (known) value = constant(*known);
    }
  }

  /// Executes one instruction of the path. False if the bytes are no instruction.
  bool execute(const PathStep& step) {
    const auto decoded = decode_one(step.code);
    if (!decoded) return false;
    next_address_ = step.address + decoded->instruction.length;
    if (decoded->instruction.meta.category == ZYDIS_CATEGORY_COND_BR) {
      branch(decoded->instruction.mnemonic, step.taken);
    } else if (decoded->instruction.meta.category == ZYDIS_CATEGORY_CALL) {
      call();
    } else {
      compute(*decoded);
    }
    return true;
  }

  /// The value that an indirect jump takes its target from.
  Value target_of(const PathStep& step) {
    const auto decoded = decode_one(step.code);
    if (!decoded || decoded->instruction.mnemonic != ZYDIS_MNEMONIC_JMP ||
        decoded->is_relative_branch()) {
      return fresh();
    }
    next_address_ = step.address + decoded->instruction.length;
    return source(decoded->storage[0], 64);
  }

  /// The table that the indirect jump goes through, if the path shows one with a known bound.
  std::optional<TableJump> jump(const PathStep& step) {
    const Value target = target_of(step);
    if (target.kind != Value::Kind::kEntry64 && target.kind != Value::Kind::kPlace) {
      return std::nullopt;
    }
    const auto most = bound(target.number);
    if (!most || *most >= kMostTableEntries) return std::nullopt;
    TableJump found{.table = target.address, .entries = *most + 1, .base = {}};
    if (target.kind == Value::Kind::kPlace) found.base = target.base;
    return found;
  }

 private:
  /// A value in memory that was read or stored, and not overwritten since as far as the path shows.
  struct Slot {
    std::uint32_t base = 0;  ///< number of the value that its address is based on
    std::int64_t displacement = 0;
    std::uint32_t number = 0;
  };

  Value fresh() { return {.kind = Value::Kind::kNumber, .number = ++numbers_}; }
  Value pointer() {
    Value value = fresh();
    value.pointer = true;
    return value;
  }
  static Value constant(std::uint64_t address) {
    return {.kind = Value::Kind::kAddress, .address = address};
  }

  /// The largest value that the numbered value may have on this path; nothing if no branch limits
  /// it.
  std::optional<std::uint64_t> bound(std::uint32_t number) const {
    std::optional<std::uint64_t> least;
    for (const auto& [bounded, most] : bounds_) {
      if (bounded == number) least = std::min(most, least.value_or(most));
    }
    return least;
  }

  Value of_register(const ZydisDecodedOperand& operand) {
    const auto reg = operand.type == ZYDIS_OPERAND_TYPE_REGISTER
                         ? register_number(operand.reg.value)
                         : std::nullopt;
    return reg ? registers_[static_cast<std::size_t>(*reg)] : fresh();
  }

  Value of_register(ZydisRegister reg) {
    if (reg == ZYDIS_REGISTER_RIP) return constant(next_address_);
    if (reg == ZYDIS_REGISTER_NONE) return constant(0);
    const auto number = register_number(reg);
    return number ? registers_[static_cast<std::size_t>(*number)] : fresh();
  }

  /// The value that is loaded from a memory operand into `bits` bits.
  Value loaded(const ZydisDecodedOperand& operand, int bits) {
    const auto& memory = operand.mem;
    if (memory.segment == ZYDIS_REGISTER_FS || memory.segment == ZYDIS_REGISTER_GS) return fresh();
    const Value base = of_register(memory.base);
    const auto displacement = static_cast<std::uint64_t>(memory.disp.value);
    if (memory.index == ZYDIS_REGISTER_NONE) return in_memory(base, memory.disp.value);
    const Value index = of_register(memory.index);
    if (memory.scale == 1 && bits == 32) return entry_at(base, index, displacement);
    const bool table = base.kind == Value::Kind::kAddress && index.kind == Value::Kind::kNumber &&
                       bits == memory.scale * 8 && (bits == 32 || bits == 64);
    if (!table) return fresh();
    return {.kind = bits == 64 ? Value::Kind::kEntry64 : Value::Kind::kEntry32,
            .number = index.number,
            .address = base.address + displacement};
  }

  /// The 32-bit entry at the sum of an address and an offset, given in either order.
  Value entry_at(const Value& a, const Value& b, std::uint64_t displacement) {
    const bool swapped = a.kind == Value::Kind::kOffset;
    const Value& table = swapped ? b : a;
    const Value& offset = swapped ? a : b;
    if (table.kind != Value::Kind::kAddress || offset.kind != Value::Kind::kOffset) return fresh();
    return {.kind = Value::Kind::kEntry32,
            .number = offset.number,
            .address = table.address + displacement,
            .by_offset = true};
  }

  Value in_memory(const Value& base, std::int64_t displacement) {
    if (base.kind != Value::Kind::kNumber) return pointer();
    for (const Slot& slot : slots_) {
      if (slot.base == base.number && slot.displacement == displacement) {
        return {.kind = Value::Kind::kNumber, .number = slot.number, .pointer = true};
      }
    }
    const Value value = pointer();
    slots_.push_back({base.number, displacement, value.number});
    return value;
  }

  /// The operand's value. `bits` does not distinguish values: an index may be compared in fewer
  /// bits than it is used in.
  Value source(const ZydisDecodedOperand& operand, int bits) {
    return operand.type == ZYDIS_OPERAND_TYPE_MEMORY ? loaded(operand, bits) : of_register(operand);
  }

  void compute(const Decoded& decoded) {
    const Value result = result_of(decoded);
    const std::optional<Comparison> compared = comparison_of(decoded);
    for (const ZydisDecodedOperand& operand : decoded.operands()) {
      if (!is_written(operand)) continue;
      // Any store may have changed any slot, since addresses are not compared.
      if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) slots_.clear();
      if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER) continue;
      if (ZydisRegisterGetClass(operand.reg.value) == ZYDIS_REGCLASS_FLAGS) compared_ = compared;
      const auto reg = register_number(operand.reg.value);
      if (!reg) continue;
      const bool first = &operand == decoded.storage.data();
      registers_[static_cast<std::size_t>(*reg)] = first ? result : fresh();
    }
    if (decoded.instruction.mnemonic == ZYDIS_MNEMONIC_MOV) remember_store(decoded);
  }

  /// Remembers a store of a whole register, because unoptimised code keeps its indices in memory.
  void remember_store(const Decoded& decoded) {
    const ZydisDecodedOperand& target = decoded.storage[0];
    const auto& memory = target.mem;
    if (target.type != ZYDIS_OPERAND_TYPE_MEMORY || target.size != 64 ||
        memory.index != ZYDIS_REGISTER_NONE || memory.segment == ZYDIS_REGISTER_FS ||
        memory.segment == ZYDIS_REGISTER_GS) {
      return;
    }
    const Value base = of_register(memory.base);
    const Value stored = of_register(decoded.storage[1]);
    if (base.kind != Value::Kind::kNumber || stored.kind != Value::Kind::kNumber) return;
    slots_.push_back({base.number, memory.disp.value, stored.number});
  }

  /// The value of the instruction's first operand after it.
  Value result_of(const Decoded& decoded) {
    const ZydisDecodedOperand& target = decoded.storage[0];
    const ZydisDecodedOperand& other = decoded.storage[1];
    switch (decoded.instruction.mnemonic) {
      case ZYDIS_MNEMONIC_LEA: {
        const auto address = loaded_address(decoded, next_address_ - decoded.instruction.length);
        if (address) return constant(*address);
        return is_offset(target, other) ? offset(of_register(other.mem.index)) : sum_in(other);
      }
      case ZYDIS_MNEMONIC_MOV:
      case ZYDIS_MNEMONIC_MOVZX:
      case ZYDIS_MNEMONIC_MOVSX:
      case ZYDIS_MNEMONIC_MOVSXD:
        return moved(target, other);
      case ZYDIS_MNEMONIC_CDQE:
        return of_register(ZYDIS_REGISTER_RAX);
      case ZYDIS_MNEMONIC_ADD:
        return sum(of_register(target), source(other, other.size));
      default:
        return fresh();
    }
  }

  Value moved(const ZydisDecodedOperand& target, const ZydisDecodedOperand& other) {
    // A write to a part narrower than 32 bits leaves the rest of the register as it was.
    if (target.type != ZYDIS_OPERAND_TYPE_REGISTER || target.size < 32) return fresh();
    if (other.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) return constant(bits_of(other, target.size));
    return source(other, other.size);
  }

  /// Whether a lea computes `lea reg, [index * 4]` in 64 bits.
  static bool is_offset(const ZydisDecodedOperand& target, const ZydisDecodedOperand& source) {
    const auto& memory = source.mem;
    return target.size == 64 && memory.base == ZYDIS_REGISTER_NONE && memory.scale == 4 &&
           memory.disp.value == 0 && ZydisRegisterGetClass(memory.index) == ZYDIS_REGCLASS_GPR64;
  }

  Value offset(const Value& index) {
    if (index.kind != Value::Kind::kNumber) return fresh();
    return {.kind = Value::Kind::kOffset, .number = index.number};
  }

  Value sum(const Value& a, const Value& b) {
    const bool swapped = b.kind == Value::Kind::kEntry32;
    const Value& entry = swapped ? b : a;
    const Value& base = swapped ? a : b;
    if (entry.kind != Value::Kind::kEntry32 || base.kind != Value::Kind::kAddress) return fresh();
    // An address plus an offset was one sum, whose parts are known only if the same address is the
    // base.
    if (entry.by_offset && entry.address != base.address) return fresh();
    return {.kind = Value::Kind::kPlace,
            .number = entry.number,
            .address = entry.address,
            .base = base.address};
  }

  /// The value of `lea reg, [a + b]`.
  Value sum_in(const ZydisDecodedOperand& operand) {
    const auto& memory = operand.mem;
    if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY || memory.scale > 1 || memory.disp.value != 0) {
      return fresh();
    }
    return sum(of_register(memory.base), of_register(memory.index));
  }

  struct Comparison {
    std::uint32_t number = 0;
    std::uint64_t with = 0;
  };

  std::optional<Comparison> comparison_of(const Decoded& decoded) {
    const ZydisDecodedOperand& limit = decoded.storage[1];
    // A subtraction sets the flags as a comparison does; its first operand counts as it was before.
    const bool compares = decoded.instruction.mnemonic == ZYDIS_MNEMONIC_CMP ||
                          decoded.instruction.mnemonic == ZYDIS_MNEMONIC_SUB;
    if (!compares || limit.type != ZYDIS_OPERAND_TYPE_IMMEDIATE) return std::nullopt;
    const ZydisDecodedOperand& compared = decoded.storage[0];
    const Value value = source(compared, compared.size);
    if (value.kind != Value::Kind::kNumber) return std::nullopt;
    return Comparison{value.number, bits_of(limit, compared.size)};
  }

  /// Takes in what a conditional jump that is taken or not says about the value that was compared.
  void branch(ZydisMnemonic mnemonic, bool taken) {
    if (!compared_) return;
    const bool up_to =
        (mnemonic == ZYDIS_MNEMONIC_JNBE && !taken) || (mnemonic == ZYDIS_MNEMONIC_JBE && taken);
    const bool below =
        (mnemonic == ZYDIS_MNEMONIC_JNB && !taken) || (mnemonic == ZYDIS_MNEMONIC_JB && taken);
    if (up_to) bounds_.emplace_back(compared_->number, compared_->with);
    if (below && compared_->with > 0) bounds_.emplace_back(compared_->number, compared_->with - 1);
  }

  /// A call may change memory, flags and the registers that a function need not preserve.
  void call() {
    slots_.clear();
    compared_.reset();
    for (int i = 0; i < kGeneralRegisters; ++i) {
      if (!survives_calls(i)) registers_[static_cast<std::size_t>(i)] = fresh();
    }
  }

  std::array<Value, kGeneralRegisters> registers_;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> bounds_;  ///< a number, its largest value
  std::vector<Slot> slots_;
  std::optional<Comparison> compared_;  ///< the comparison that the flags hold the result of
  std::uint32_t numbers_ = 0;
  std::uint64_t next_address_ = 0;
};

/// Executes all but the last step of the path. False if one of them is no instruction, or the path
/// is empty.
bool execute_way(PathReader& reader, std::span<const PathStep> path) {
  return !path.empty() && std::ranges::all_of(path.first(path.size() - 1), [&](const auto& step) {
    return reader.execute(step);
  });
}

}  // namespace

void ConstantRegisters::see(std::span<const std::uint8_t> code, std::uint64_t address) {
  const auto decoded = decode_one(code);
  // A pop or leave restores a register for the caller, for whom it has not changed.
  if (!decoded || decoded->instruction.mnemonic == ZYDIS_MNEMONIC_POP ||
      decoded->instruction.mnemonic == ZYDIS_MNEMONIC_LEAVE) {
    return;
  }
  const auto constant = loaded_address(*decoded, address);
  for (const ZydisDecodedOperand& operand : decoded->operands()) {
    if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER || !is_written(operand)) continue;
    const auto reg = register_number(operand.reg.value);
    if (!reg) continue;
    auto& value = values_[static_cast<std::size_t>(*reg)];
    if (!constant || (value && *value != *constant)) {
      spoilt_ = static_cast<std::uint16_t>(spoilt_ | 1U << *reg);
    }
    value = constant;
  }
}

std::optional<std::uint64_t> ConstantRegisters::value(GeneralRegister reg) const {
  const int number = static_cast<int>(reg);
  if ((spoilt_ >> number & 1) != 0 || !survives_calls(number)) return std::nullopt;
  return values_[static_cast<std::size_t>(number)];
}

std::optional<TableJump> table_jump(std::span<const PathStep> path,
                                    const ConstantRegisters* constants) {
  PathReader reader(constants);
  if (!execute_way(reader, path)) return std::nullopt;
  return reader.jump(path.back());
}

bool jumps_to_plain_pointer(std::span<const PathStep> path) {
  PathReader reader(nullptr);
  return execute_way(reader, path) && reader.target_of(path.back()).pointer;
}

}  // namespace assay

#include "profiler/block/table_jump.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "profiler/block/zydis.h"

namespace assay {
namespace {

/// By hardware number; nothing for what is no general register.
std::optional<int> register_number(ZydisRegister reg) {
  const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
  if (ZydisRegisterGetClass(whole) != ZYDIS_REGCLASS_GPR64) return std::nullopt;
  return ZydisRegisterGetId(whole);
}

bool is_written(const ZydisDecodedOperand& operand) {
  return (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
}

/// rbx, rbp and r12 to r15: what a function gives back as it got it.
bool survives_calls(int reg) { return reg == 3 || reg == 5 || reg >= 12; }

std::uint64_t bits_of(const ZydisDecodedOperand& immediate, int width) {
  const std::uint64_t value = immediate.imm.value.u;
  return width >= 64 ? value : value & ((std::uint64_t{1} << width) - 1);
}

/// `lea reg, [rip + N]`: the address.
std::optional<std::uint64_t> loaded_address(const Decoded& decoded, std::uint64_t address) {
  const ZydisDecodedOperand& source = decoded.storage[1];
  if (decoded.instruction.mnemonic != ZYDIS_MNEMONIC_LEA || source.mem.base != ZYDIS_REGISTER_RIP ||
      decoded.instruction.operand_width != 64) {
    return std::nullopt;
  }
  return address + decoded.instruction.length + static_cast<std::uint64_t>(source.mem.disp.value);
}

/// What is known of a value.
struct Value {
  enum class Kind : std::uint8_t {
    kNumber,   ///< nothing but which one it is
    kAddress,  ///< a constant
    kOffset,   ///< 4 * number
    kEntry32,  ///< the 32-bit entry at table + 4 * number
    kEntry64,  ///< the 64-bit entry at table + 8 * number
    kPlace,    ///< base + such a 32-bit entry
  };
  Kind kind = Kind::kNumber;
  std::uint32_t number = 0;   ///< of the value itself, or of an entry's index
  std::uint64_t address = 0;  ///< the constant, or the table
  std::uint64_t base = 0;
  bool pointer = false;  ///< loaded from memory without an index
  /// An entry that an offset has chosen: its address alone does not tell which part is the table.
  bool by_offset = false;
};

/// Executes a path on what is known of values.
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

  /// Whether it was an instruction.
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

  /// Where an indirect jump goes.
  Value target_of(const PathStep& step) {
    const auto decoded = decode_one(step.code);
    if (!decoded || decoded->instruction.mnemonic != ZYDIS_MNEMONIC_JMP ||
        decoded->is_relative_branch()) {
      return fresh();
    }
    next_address_ = step.address + decoded->instruction.length;
    return source(decoded->storage[0], 64);
  }

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
  /// A number in memory that was read, or compared, and not written since as far as the path shows.
  struct Slot {
    std::uint32_t base = 0;  ///< number of the value that its address is made of
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

  /// What is loaded from a memory operand into so many bits.
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

  /// The entry at the sum of an address and an offset, in either order.
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

  /// Of whatever size: an index is compared in as few bits as it has, and used in all of them.
  Value source(const ZydisDecodedOperand& operand, int bits) {
    return operand.type == ZYDIS_OPERAND_TYPE_MEMORY ? loaded(operand, bits) : of_register(operand);
  }

  void compute(const Decoded& decoded) {
    const Value result = result_of(decoded);
    const std::optional<Comparison> compared = comparison_of(decoded);
    for (const ZydisDecodedOperand& operand : decoded.operands()) {
      if (!is_written(operand)) continue;
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

  /// Of a whole register: code that is not optimized keeps its indices in memory.
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

  /// Of the first operand.
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
    // A write to a part of a register leaves the rest.
    if (target.type != ZYDIS_OPERAND_TYPE_REGISTER || target.size < 32) return fresh();
    if (other.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) return constant(bits_of(other, target.size));
    return source(other, other.size);
  }

  /// `lea reg, [index * 4]`, in 64 bits.
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
    if (entry.by_offset && entry.address != base.address) return fresh();
    return {.kind = Value::Kind::kPlace,
            .number = entry.number,
            .address = entry.address,
            .base = base.address};
  }

  /// Of `lea reg, [a + b]`.
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
    // A subtraction sets the flags alike; its first operand is taken as it was before.
    const bool compares = decoded.instruction.mnemonic == ZYDIS_MNEMONIC_CMP ||
                          decoded.instruction.mnemonic == ZYDIS_MNEMONIC_SUB;
    if (!compares || limit.type != ZYDIS_OPERAND_TYPE_IMMEDIATE) return std::nullopt;
    const ZydisDecodedOperand& compared = decoded.storage[0];
    const Value value = source(compared, compared.size);
    if (value.kind != Value::Kind::kNumber) return std::nullopt;
    return Comparison{value.number, bits_of(limit, compared.size)};
  }

  void branch(ZydisMnemonic mnemonic, bool taken) {
    if (!compared_) return;
    const bool up_to =
        (mnemonic == ZYDIS_MNEMONIC_JNBE && !taken) || (mnemonic == ZYDIS_MNEMONIC_JBE && taken);
    const bool below =
        (mnemonic == ZYDIS_MNEMONIC_JNB && !taken) || (mnemonic == ZYDIS_MNEMONIC_JB && taken);
    if (up_to) bounds_.emplace_back(compared_->number, compared_->with);
    if (below && compared_->with > 0) bounds_.emplace_back(compared_->number, compared_->with - 1);
  }

  void call() {
    slots_.clear();
    compared_.reset();
    for (int i = 0; i < kGeneralRegisters; ++i) {
      if (!survives_calls(i)) registers_[static_cast<std::size_t>(i)] = fresh();
    }
  }

  std::array<Value, kGeneralRegisters> registers_;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> bounds_;  ///< a number and its most
  std::vector<Slot> slots_;
  std::optional<Comparison> compared_;  ///< what the flags tell of
  std::uint32_t numbers_ = 0;
  std::uint64_t next_address_ = 0;
};

/// Executes all but the path's last step; whether they were instructions.
bool execute_way(PathReader& reader, std::span<const PathStep> path) {
  return !path.empty() && std::ranges::all_of(path.first(path.size() - 1), [&](const auto& step) {
    return reader.execute(step);
  });
}

}  // namespace

void ConstantRegisters::see(std::span<const std::uint8_t> code, std::uint64_t address) {
  const auto decoded = decode_one(code);
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

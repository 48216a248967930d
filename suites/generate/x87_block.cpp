#include "suites/generate/x87_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <variant>

#include "profiler/block/block.h"
#include "profiler/block/x87_stack.h"
#include "suites/generate/block_draft.h"

namespace assay {
namespace {

constexpr int kCopies = 4;
constexpr int kRepeats = 8;
constexpr int kMostValues = 4;  ///< pushed before or popped behind one instruction

Bytes push_one() { return encode_instruction(ZYDIS_MNEMONIC_FLD1, {}); }

Bytes pop() {
  return encode_instruction(ZYDIS_MNEMONIC_FSTP, {register_operand(ZYDIS_REGISTER_ST0)});
}

/// The memory through which a value goes from one copy to the next.
ZydisEncoderOperand passing_memory() {
  // It lies a line away from the form's own operand.
  return memory_operand(register_of(Carrier::kGeneral, kMemoryBase, 64), -kLine, 64);
}

void append_repeated(Bytes& code, const Bytes& more, int times) {
  for (int i = 0; i < times; ++i) code.insert(code.end(), more.begin(), more.end());
}

/// How many values are pushed before the form, and popped behind it.
struct Balance {
  int pushes = 0;
  int pops = 0;
};

std::optional<Balance> balance_of(const Bytes& form) {
  for (int pushes = 0; pushes <= kMostValues; ++pushes) {
    for (int pops = 0; pops <= kMostValues; ++pops) {
      Bytes code;
      append_repeated(code, push_one(), pushes);
      append_repeated(code, form, 1);
      append_repeated(code, pop(), pops);
      const auto decoded = decode(code);
      const auto* block = std::get_if<Block>(&decoded);
      if (block != nullptr && !unbalances_x87_stack(*block)) return Balance{pushes, pops};
    }
  }
  return std::nullopt;
}

/// A block while it is put together around a form of the x87 stack: the form with its operands, and
/// what it takes to keep the stack balanced.
class X87Draft {
 public:
  explicit X87Draft(const InstructionForm& form) : draft_(form), choice_(draft_.choose()) {
    for (const OperandUse& use : draft_.uses()) {
      if (use.chosen && use.place.carrier == Carrier::kX87) {
        choice_.registers[{use.operand, use.part}] = 1;
      }
    }
    const auto code = encode_form(form, choice_);
    if (!code) throw NoBlock("the encoder does not make it with these registers");
    const auto balance = balance_of(*code);
    if (!balance) throw NoBlock("the x87 stack is not the same before and behind it");
    balance_ = *balance;
  }

  BlockDraft& draft() { return draft_; }
  const Balance& balance() const { return balance_; }
  int stack_register(const OperandUse& use) const {
    return BlockDraft::place_in(use, choice_).number;
  }

  void add_form(int copy) {
    OperandChoice choice = choice_;
    choice.displacement = copy * kLine;
    draft_.add_form(choice);
  }
  void add(const Bytes& code, int times = 1) {
    for (int i = 0; i < times; ++i) draft_.add(code);
  }

  CorpusEntry entry(const std::string& name) const {
    CorpusEntry entry;
    entry.bytes = draft_.code();
    entry.name = name;
    entry.state = draft_.state();
    return entry;
  }

 private:
  BlockDraft draft_;
  OperandChoice choice_;
  Balance balance_;
};

CorpusEntry throughput(const InstructionForm& form) {
  X87Draft draft(form);
  const Balance& balance = draft.balance();
  for (int copy = 0; copy < kCopies; ++copy) {
    draft.add(push_one(), balance.pushes);
    draft.add_form(copy);
    draft.add(pop(), balance.pops);
  }
  std::vector<std::string> around(static_cast<std::size_t>(balance.pushes), "FLD1");
  around.insert(around.end(), static_cast<std::size_t>(balance.pops), form_name_of(pop()));
  std::string name = fmt::format("{}; throughput x{}", form.name, kCopies);
  if (!around.empty()) name += fmt::format(" with {}", fmt::join(around, " + "));
  return draft.entry(name);
}

class X87Pair {
 public:
  X87Pair(const InstructionForm& form, const OperandUse& read, const OperandUse& written)
      : form_(form), read_(read), written_(written) {}

  std::string name() const {
    return fmt::format("{}; latency {}->{}", form_.name, read_.name, written_.name);
  }

  CorpusEntry entry() {
    X87Draft draft(form_);
    if (is_memory(read_) && is_memory(written_)) throw NoBlock("no helper reaches the x87 stack");
    add_operands(draft);
    const int repeats = repeats_of(draft);
    for (int i = 0; i < repeats; ++i) draft.add_form(0);
    add_results(draft);
    std::string how = repeats > 1 ? fmt::format(" x{}", repeats) : "";
    how += fmt::format(" via {}", fmt::join(helpers_, " + "));
    return draft.entry(name() + how);
  }

 private:
  static bool is_memory(const OperandUse& use) { return use.place.carrier == Carrier::kMemory; }
  static bool is_stack(const OperandUse& use) { return use.place.carrier == Carrier::kX87; }

  int repeats_of(const X87Draft& draft) const {
    const bool stays = draft.balance().pushes == draft.balance().pops;
    const bool on_top = is_stack(read_) && is_stack(written_) && draft.stack_register(read_) == 0 &&
                        draft.stack_register(written_) == 0;
    return stays && on_top ? kRepeats : 1;
  }

  /// Pushes all values that the form needs; the one of the pair is loaded from memory.
  void add_operands(X87Draft& draft) {
    const int pushes = draft.balance().pushes;
    if (!is_stack(read_)) {
      if (!is_memory(read_)) throw NoBlock("no helper reaches the x87 stack");
      draft.add(push_one(), pushes);
      return;
    }
    const int above = draft.stack_register(read_);
    if (above >= pushes) throw NoBlock("it reads a register that may be empty");
    draft.add(push_one(), pushes - 1 - above);
    const Bytes load = encode_instruction(
        ZYDIS_MNEMONIC_FLD, {is_memory(written_) ? own_memory(written_) : passing_memory()});
    draft.add(load);
    helpers_.push_back(form_name_of(load));
    draft.add(push_one(), above);
  }

  /// The form's explicit memory operand; throws NoBlock if FLD and FSTP have no operand of its
  /// size.
  static ZydisEncoderOperand own_memory(const OperandUse& use) {
    if (use.bits != 32 && use.bits != 64 && use.bits != 80) {
      throw NoBlock(fmt::format("no helper passes on {} bits of memory", use.bits));
    }
    return memory_operand(register_of(Carrier::kGeneral, kMemoryBase, 64), 0, use.bits);
  }

  /// Takes all values off the stack; the one of the pair is stored to memory.
  void add_results(X87Draft& draft) {
    const int pops = draft.balance().pops;
    if (!is_stack(written_)) {
      if (!is_memory(written_)) throw NoBlock("no helper reaches the x87 stack");
      draft.add(pop(), pops);
      return;
    }
    // A register's number is its position before the form pops and after it pushes.
    const int popped = std::max(0, draft.balance().pushes - pops);
    const int above = draft.stack_register(written_) - popped;
    if (above < 0 || above >= pops) throw NoBlock("what it writes does not stay on the stack");
    draft.add(pop(), above);
    const Bytes store = encode_instruction(
        ZYDIS_MNEMONIC_FSTP, {is_memory(read_) ? own_memory(read_) : passing_memory()});
    draft.add(store);
    helpers_.insert(helpers_.begin(), form_name_of(store));
    draft.add(pop(), pops - 1 - above);
  }

  const InstructionForm& form_;
  const OperandUse& read_;
  const OperandUse& written_;
  std::vector<std::string> helpers_;
};

}  // namespace

bool works_on_x87_stack(const InstructionForm& form) {
  const auto decoded = decode_one(form.code);
  return decoded && std::ranges::any_of(uses_of(*decoded), [](const OperandUse& use) {
           return use.place.carrier == Carrier::kX87;
         });
}

FormBlocks x87_throughput_blocks(const InstructionForm& form) {
  FormBlocks blocks;
  try {
    blocks.entries.push_back(throughput(form));
  } catch (const NoBlock& none) {
    blocks.missing.push_back({form.name + "; throughput", none.what()});
  }
  return blocks;
}

FormBlocks x87_latency_blocks(const InstructionForm& form) {
  FormBlocks blocks;
  const auto decoded = decode_one(form.code);
  if (!decoded) return blocks;
  const std::vector<OperandUse> uses = uses_of(*decoded);
  for (const OperandUse& read : uses) {
    for (const OperandUse& written : uses) {
      if (!read.read || !written.written || read.part != Part::kValue) continue;
      X87Pair pair(form, read, written);
      try {
        blocks.entries.push_back(pair.entry());
      } catch (const NoBlock& none) {
        blocks.missing.push_back({pair.name(), none.what()});
      }
    }
  }
  return blocks;
}

}  // namespace assay

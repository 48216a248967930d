#include "suites/generate/throughput.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "suites/generate/block_draft.h"
#include "suites/generate/x87_block.h"

namespace assay {
namespace {

/// How often a form stands in a block at most, and always if it writes no register of its choice.
/// An addition to memory at two a cycle needs fewer for its latency to be hidden.
constexpr int kMostCopies = 16;

/// The uses that carry a dependence from copy to copy whatever registers are chosen.
std::vector<OperandUse> fixed_chains(const BlockDraft& draft) {
  std::vector<OperandUse> chains;
  for (const OperandUse& use : draft.uses()) {
    const auto writes_it = [&](const OperandUse& other) {
      return other.written && !other.chosen && other.place == use.place;
    };
    const bool known = std::ranges::any_of(
        chains, [&](const OperandUse& other) { return other.place == use.place; });
    if (!use.read || use.chosen || known || use.place.carrier == Carrier::kMemory) continue;
    // A base register that the form moves (PUSH's RSP) is among the uses once more, as a value.
    if (use.part != Part::kValue) continue;
    if (std::ranges::any_of(draft.uses(), writes_it)) chains.push_back(use);
  }
  return chains;
}

std::vector<OperandUse> used_up(const BlockDraft& draft) {
  std::vector<OperandUse> result;
  for (const OperandUse& use : draft.uses()) {
    if (is_used_up(draft.example(), use)) result.push_back(use);
  }
  return result;
}

/// For how many copies there are registers to write to.
int copies_of(const BlockDraft& draft) {
  int copies = kMostCopies;
  for (const Carrier carrier :
       {Carrier::kGeneral, Carrier::kVector, Carrier::kMask, Carrier::kMmx}) {
    int written = 0;
    int only_read = 0;
    for (const OperandUse& use : draft.uses()) {
      if (!use.chosen || use.place.carrier != carrier) continue;
      if (use.part == Part::kBase && carrier == Carrier::kGeneral) continue;
      ++(use.written ? written : only_read);
    }
    if (written > 0) {
      copies = std::min(copies, (draft.free_registers(carrier) - only_read) / written);
    }
  }
  return std::max(copies, 1);
}

/// By how much further into its line each copy's memory operand lies than that of the copy before:
/// by the operand's own size, so that it stays aligned and within a line. If all had the same
/// offset, loads could get in each other's way, since the offset decides the bank of the
/// first-level data cache (docs/measuring.md).
int bank_step(const BlockDraft& draft) {
  // Values that the form needs in memory are at the start of its 8-byte words.
  int bytes = memory_word_need(draft.example()) ? 8 : 1;
  for (const OperandUse& use : draft.uses()) {
    if (use.place.carrier == Carrier::kMemory) bytes = std::max(bytes, use.bits / 8);
  }
  return bytes > kLine / 2 ? 0 : static_cast<int>(std::bit_ceil(static_cast<unsigned>(bytes)));
}

/// The choice for the next copy: new registers for what it writes, those of the first copy for the
/// rest.
OperandChoice next_choice(BlockDraft& draft, const OperandChoice& first, int copy) {
  OperandChoice choice = first;
  // An address that is only computed must not be [base] alone, which renaming may do.
  const int lines = copy + (draft.computes_address() ? 1 : 0);
  choice.displacement = lines * (kLine + bank_step(draft));
  if (copy == 0) return choice;
  for (const OperandUse& use : draft.uses()) {
    const auto own = choice.registers.find({use.operand, use.part});
    if (use.written && use.chosen && own != choice.registers.end()) {
      own->second = draft.take(use.place.carrier);
    }
  }
  return choice;
}

class ThroughputBlock {
 public:
  ThroughputBlock(const InstructionForm& form, bool breaks) : draft_(form), breaks_(breaks) {}

  /// The block; throws NoBlock if it cannot be made.
  CorpusEntry entry() {
    const std::vector<OperandUse> chains = fixed_chains(draft_);
    const std::vector<OperandUse> spoilt = used_up(draft_);
    const int copies = ends_in_branch() ? 1 : copies_of(draft_);
    const OperandChoice first = draft_.choose();
    draft_.add_zero_indices(first);
    for (int copy = 0; copy < copies; ++copy) {
      const OperandChoice choice = next_choice(draft_, first, copy);
      for (const OperandUse& use : breaks_ ? chains : spoilt) draft_.add_break(use, choice);
      if (breaks_) add_other(spoilt, chains, choice);
      set_tested_flags(choice);
      draft_.add_form(choice);
    }
    return finish(copies, chains);
  }

  bool has_chains() const { return !fixed_chains(draft_).empty(); }

 private:
  bool ends_in_branch() const { return draft_.example().is_relative_branch(); }

  /// Sets the flags that a conditional jump tests, so that it does not depend on what ran before.
  void set_tested_flags(const OperandChoice& choice) {
    if (!ends_in_branch()) return;
    for (const OperandUse& use : draft_.uses()) {
      if (use.place.carrier == Carrier::kFlags && use.read) draft_.add_break(use, choice);
    }
  }

  void add_other(const std::vector<OperandUse>& uses, const std::vector<OperandUse>& done,
                 const OperandChoice& choice) {
    for (const OperandUse& use : uses) {
      const bool known = std::ranges::any_of(
          done, [&](const OperandUse& other) { return other.place == use.place; });
      if (!known) draft_.add_break(use, choice);
    }
  }

  CorpusEntry finish(int copies, const std::vector<OperandUse>& chains) const {
    CorpusEntry entry;
    entry.bytes = draft_.code();
    entry.name = fmt::format("{}; throughput x{}", draft_.form().name, copies);
    const std::size_t each = draft_.breaks().size() / static_cast<std::size_t>(copies);
    if (each > 0) {
      const std::vector<std::string> names(draft_.breaks().begin(),
                                           draft_.breaks().begin() + static_cast<long>(each));
      entry.name += fmt::format(" with {}", fmt::join(names, " + "));
    }
    if (!breaks_ && !chains.empty()) entry.name += chained_by(chains);
    entry.state = draft_.state();
    return entry;
  }

  std::string chained_by(const std::vector<OperandUse>& chains) const {
    std::vector<std::string> names;
    for (const OperandUse& use : chains) {
      if (!is_used_up(draft_.example(), use)) names.push_back(use.name);
    }
    return names.empty() ? "" : fmt::format(" chained by {}", fmt::join(names, ", "));
  }

  BlockDraft draft_;
  bool breaks_;
};

void add_block(const InstructionForm& form, bool breaks, FormBlocks& blocks) {
  try {
    blocks.entries.push_back(ThroughputBlock(form, breaks).entry());
  } catch (const NoBlock& none) {
    blocks.missing.push_back({form.name + "; throughput", none.what()});
  }
}

}  // namespace

FormBlocks throughput_blocks(const InstructionForm& form) {
  if (works_on_x87_stack(form)) return x87_throughput_blocks(form);
  FormBlocks blocks;
  add_block(form, false, blocks);
  if (ThroughputBlock(form, true).has_chains()) add_block(form, true, blocks);
  return blocks;
}

}  // namespace assay

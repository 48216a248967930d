#include "suites/generate/latency.h"

#include <fmt/format.h>

#include <algorithm>

#include "suites/generate/block_draft.h"
#include "suites/generate/chain.h"
#include "suites/generate/x87_block.h"

namespace assay {
namespace {

/// Whether what was written covers all that is read, so that the core need not merge it with older
/// bits of the register.
bool covers(const OperandUse& written, const OperandUse& read) {
  if (written.place.carrier != Carrier::kGeneral) return true;
  return written.bits >= 32 || written.bits >= read.bits;
}

bool is_register_file(Carrier carrier) {
  return carrier == Carrier::kGeneral || carrier == Carrier::kVector || carrier == Carrier::kMask ||
         carrier == Carrier::kMmx;
}

/// Whether the form loads the address of its own next load. In the initial state such a pointer
/// leads to the same address again and again, so its value needs no care.
bool chases_pointers(const BlockDraft& draft, const OperandUse& read, const OperandUse& written) {
  return draft.example().instruction.mnemonic == ZYDIS_MNEMONIC_MOV && read.part == Part::kBase &&
         read.chosen && written.place.carrier == Carrier::kGeneral && written.bits >= 32;
}

class LatencyPair {
 public:
  LatencyPair(const InstructionForm& form, const OperandUse& read, const OperandUse& written)
      : form_(form), read_(read), written_(written) {}

  std::string name() const {
    return fmt::format("{}; latency {}->{}", form_.name, read_.name, written_.name);
  }

  /// The block for this pair; throws NoBlock if there is none.
  CorpusEntry entry() const {
    if (is_one_operand()) return alone();
    if (can_share()) {
      try {
        return shared();
      } catch (const NoBlock&) {
        // With one register for both it may be another form (xchg rax, r64): use helpers then.
      }
    }
    if (can_alternate()) return alternating();
    return by_helpers();
  }

 private:
  bool is_one_operand() const {
    return read_.operand == written_.operand && read_.part == Part::kValue;
  }

  bool same_file() const {
    return read_.place.carrier == written_.place.carrier && is_register_file(read_.place.carrier) &&
           covers(written_, read_);
  }

  bool value_matters() const {
    const BlockDraft draft(form_);
    return need_of(draft.example(), read_).kind != Need::Kind::kAnything &&
           !chases_pointers(draft, read_, written_);
  }

  /// Whether the form is a move between registers. Moving a register onto itself shows little:
  /// renaming may do it, and more so than a move between two registers.
  bool is_move() const {
    const auto decoded = decode_one(form_.code);
    return read_.chosen && written_.chosen && read_.part == Part::kValue &&
           decoded->instruction.meta.category == ZYDIS_CATEGORY_DATAXFER;
  }

  bool can_share() const {
    return same_file() && !is_move() && !written_.read && !read_.written &&
           (read_.chosen || written_.chosen) && !value_matters();
  }

  bool can_alternate() const {
    return same_file() && (written_.read || is_move()) && read_.chosen && written_.chosen &&
           !value_matters();
  }

  CorpusEntry alone() const {
    BlockDraft draft(form_);
    const OperandChoice choice = draft.choose();
    add_with_breaks(draft, choice, false);
    return finish(draft, "");
  }

  CorpusEntry shared() const {
    BlockDraft draft(form_);
    OperandChoice choice = choose(draft);
    if (read_.chosen && written_.chosen) {
      choice.registers[key(read_)] = choice.registers.at(key(written_));
    } else {
      const OperandUse& fixed = read_.chosen ? written_ : read_;
      choice.registers[key(read_.chosen ? read_ : written_)] = fixed.place.number;
    }
    add_with_breaks(draft, choice, false);
    return finish(draft, "");
  }

  CorpusEntry alternating() const {
    BlockDraft draft(form_);
    const OperandChoice first = choose(draft);
    OperandChoice second = first;
    std::swap(second.registers.at(key(read_)), second.registers.at(key(written_)));
    if (merges_by_mask(draft)) {
      draft.add_form(first);
      draft.add_form(second);
    } else {
      add_with_breaks(draft, first, false);
      add_with_breaks(draft, second, false);
    }
    return finish(draft, " x2");
  }

  CorpusEntry by_helpers() const {
    BlockDraft draft(form_);
    const OperandChoice choice = choose(draft);
    const Chain chain = chain_between(draft, written_, read_, choice);
    // The chain comes first because it leaves an address where the form reads one in the first
    // copy.
    draft.add(chain.code);
    add_with_breaks(draft, choice, chain.writes_flags);
    return finish(draft, fmt::format(" via {}", fmt::join(chain.helpers, " + ")));
  }

  /// Whether the form merges into its destination by a mask. Zen 4 takes long, and no constant
  /// time, to merge with what a move has just set, so that this dependence is left unbroken: it
  /// makes one step in the time in which the pair makes two.
  static bool merges_by_mask(const BlockDraft& draft) {
    return draft.example().instruction.avx.mask.mode == ZYDIS_MASK_MODE_MERGING;
  }

  static std::pair<int, Part> key(const OperandUse& use) { return {use.operand, use.part}; }

  /// Chooses registers as the draft does, except that an address register that is read gets one of
  /// its own: otherwise all addresses share one.
  OperandChoice choose(BlockDraft& draft) const {
    OperandChoice choice = draft.choose();
    if (read_.part != Part::kValue && read_.chosen && read_.place.carrier == Carrier::kGeneral) {
      choice.registers[key(read_)] = draft.take(Carrier::kGeneral);
    }
    // Without a displacement, lea rbx, [rbx] would be a move in another guise, which renaming may
    // do.
    if (read_.part == Part::kBase && draft.computes_address()) choice.displacement = 1;
    return choice;
  }

  /// Adds the form, and before it the code that keeps it from waiting for anything but the pair.
  void add_with_breaks(BlockDraft& draft, const OperandChoice& choice, bool flags_written) const {
    const Place read_place = BlockDraft::place_in(read_, choice);
    std::vector<Place> done;
    for (const OperandUse& use : draft.uses()) {
      const Place place = BlockDraft::place_in(use, choice);
      if (!use.read || place == read_place || std::ranges::find(done, place) != done.end()) {
        continue;
      }
      if (!is_written(draft, place, choice) &&
          !(flags_written && place.carrier == Carrier::kFlags)) {
        continue;
      }
      done.push_back(place);
      draft.add_break(use, choice);
    }
    draft.add_zero_indices(choice, &read_);
    draft.add_form(choice);
  }

  static bool is_written(const BlockDraft& draft, const Place& place, const OperandChoice& choice) {
    return std::ranges::any_of(draft.uses(), [&](const OperandUse& use) {
      return use.written && BlockDraft::place_in(use, choice) == place;
    });
  }

  CorpusEntry finish(const BlockDraft& draft, std::string_view how) const {
    CorpusEntry entry;
    entry.bytes = draft.code();
    entry.name = name() + std::string(how);
    entry.state = draft.state();
    return entry;
  }

  const InstructionForm& form_;
  const OperandUse& read_;
  const OperandUse& written_;
};

/// Adds the use of an index register beside each base, where the form's example has none.
void add_indices(const Decoded& decoded, std::vector<OperandUse>& uses) {
  std::vector<OperandUse> indices;
  for (const OperandUse& use : uses) {
    const auto& operand = decoded.storage.at(static_cast<std::size_t>(use.operand));
    if (use.part != Part::kBase || !use.chosen || operand.type != ZYDIS_OPERAND_TYPE_MEMORY ||
        operand.mem.index != ZYDIS_REGISTER_NONE || operand.mem.type == ZYDIS_MEMOP_TYPE_MIB) {
      continue;
    }
    OperandUse index = use;
    index.part = Part::kIndex;
    index.name = use.name.substr(0, use.name.find('.')) + ".index";
    indices.push_back(std::move(index));
  }
  uses.insert(uses.end(), indices.begin(), indices.end());
}

/// Whether the use is an address register that the form fixes and that is in the list once more as
/// an operand (RSI of LODS): the two count as one.
bool is_doubled(const OperandUse& use, const std::vector<OperandUse>& uses) {
  return use.part != Part::kValue && !use.chosen &&
         std::ranges::any_of(uses, [&](const OperandUse& other) {
           return other.part == Part::kValue && other.place == use.place && !other.chosen;
         });
}

}  // namespace

FormBlocks latency_blocks(const InstructionForm& form) {
  if (works_on_x87_stack(form)) return x87_latency_blocks(form);
  FormBlocks blocks;
  const auto decoded = decode_one(form.code);
  if (!decoded) return blocks;
  std::vector<OperandUse> uses = uses_of(*decoded);
  add_indices(*decoded, uses);
  for (const OperandUse& read : uses) {
    if (!read.read || is_doubled(read, uses)) continue;
    for (const OperandUse& written : uses) {
      if (!written.written) continue;
      const LatencyPair pair(form, read, written);
      try {
        if (decoded->is_repeated()) throw NoBlock("how often it repeats is part of its time");
        blocks.entries.push_back(pair.entry());
      } catch (const NoBlock& none) {
        blocks.missing.push_back({pair.name(), none.what()});
      }
    }
  }
  return blocks;
}

}  // namespace assay

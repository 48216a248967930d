#include "suites/generate/random_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <variant>

#include "profiler/block/block.h"
#include "profiler/support/error.h"
#include "suites/generate/form_encoder.h"
#include "suites/generate/needs.h"
#include "suites/generate/x87_block.h"

namespace assay {
namespace {

constexpr int kLineBytes = 64;
/// The registers that hold addresses; with aliasing, all of them hold the same one.
constexpr std::array kBases = {14, 13, 12};
/// The general registers that instructions may read and write: all but kBases and RSP.
constexpr std::array kGeneral = {0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 15};
/// All three base registers hold what R14 holds in the state `distinct`. Around that address,
/// displacements of up to a page in either direction stay in pages that can be mapped.
constexpr std::string_view kAliasingState = "distinct r12=0x1234c80 r13=0x1234c80 r14=0x1234c80";
constexpr int kVectorsWithoutEvex = 16;
constexpr int kVectors = 32;
constexpr int kTries = 1000;  ///< per instruction; the encoder refuses few

/// Random numbers in a sequence that is the same with every standard library: std::mt19937_64 is,
/// the standard's distributions are not.
class Draw {
 public:
  /// Mixes seed and index so that neighbouring ones give sequences that have nothing in common
  /// (splitmix64; Steele, Lea and Flood, OOPSLA 2014).
  Draw(std::uint64_t seed, std::uint64_t index) : engine_(mix(mix(seed) + index)) {}

  /// A number from 0 to bound - 1, all with the same chance: numbers beyond the largest multiple of
  /// `bound` below 2^64 are drawn again.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t unfair = (~std::uint64_t{0} % bound + 1) % bound;
    std::uint64_t drawn = engine_();
    while (drawn > ~std::uint64_t{0} - unfair) drawn = engine_();
    return drawn % bound;
  }

  template <typename Items>
  const auto& pick(const Items& items) {
    return items[below(items.size())];
  }

 private:
  static std::uint64_t mix(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
  }

  std::mt19937_64 engine_;
};

/// Whether an operand is memory. Prefetches and NOPs count, instructions that only compute an
/// address (lea) do not.
bool names_memory(const Decoded& decoded) {
  return std::ranges::any_of(decoded.operands(), [](const ZydisDecodedOperand& operand) {
    return operand.type == ZYDIS_OPERAND_TYPE_MEMORY && operand.mem.type != ZYDIS_MEMOP_TYPE_AGEN;
  });
}

/// Whether the instruction runs whatever its registers hold, as long as the bases that can be
/// chosen are addresses.
bool asks_for_little(const Decoded& decoded, const std::vector<OperandUse>& uses) {
  if (decoded.is_relative_branch() || memory_word_need(decoded)) return false;
  return std::ranges::none_of(uses, [&](const OperandUse& use) {
    const Need need = need_of(decoded, use);
    const bool chosen_base = use.chosen && use.part == Part::kBase;
    const bool needs = need.kind != Need::Kind::kAnything && need.must;
    return is_used_up(decoded, use) || (needs && !chosen_base) ||
           (use.place.carrier == Carrier::kMemory && use.bits > 512);
  });
}

/// Whether every memory operand has a base: an absolute address would be the same in all blocks.
bool has_base_if_any(const Decoded& decoded) {
  return std::ranges::none_of(decoded.operands(), [](const ZydisDecodedOperand& operand) {
    return operand.type == ZYDIS_OPERAND_TYPE_MEMORY && operand.mem.base == ZYDIS_REGISTER_NONE;
  });
}

/// Instructions that evict lines from caches that all copies use, that wait for everything before
/// them or for hundreds of cycles, or that change how later instructions run: a block with one of
/// these shows little else.
constexpr ZydisMnemonic kSpoilBlocks[] = {
    ZYDIS_MNEMONIC_CLFLUSH,   ZYDIS_MNEMONIC_CLFLUSHOPT, ZYDIS_MNEMONIC_CLWB,
    ZYDIS_MNEMONIC_CLDEMOTE,  ZYDIS_MNEMONIC_RDRAND,     ZYDIS_MNEMONIC_RDSEED,
    ZYDIS_MNEMONIC_RDTSC,     ZYDIS_MNEMONIC_RDTSCP,     ZYDIS_MNEMONIC_RDPID,
    ZYDIS_MNEMONIC_RDPRU,     ZYDIS_MNEMONIC_CPUID,      ZYDIS_MNEMONIC_XGETBV,
    ZYDIS_MNEMONIC_LFENCE,    ZYDIS_MNEMONIC_MFENCE,     ZYDIS_MNEMONIC_SFENCE,
    ZYDIS_MNEMONIC_SERIALIZE, ZYDIS_MNEMONIC_PAUSE,      ZYDIS_MNEMONIC_TPAUSE,
    ZYDIS_MNEMONIC_STD,       ZYDIS_MNEMONIC_EMMS,       ZYDIS_MNEMONIC_FEMMS,
    ZYDIS_MNEMONIC_VZEROALL,  ZYDIS_MNEMONIC_VZEROUPPER,
};

/// Whether it is a non-temporal store (MOVNTI, VMOVNTPS, ...), which bypasses the caches; told by
/// its mnemonic. Non-temporal loads (MOVNTDQA) do not count: they are ordinary loads in ordinary
/// memory.
bool is_non_temporal_store(const Decoded& decoded) {
  const std::string_view name = ZydisMnemonicGetString(decoded.instruction.mnemonic);
  return name.find("movnt") != std::string_view::npos && !name.ends_with("movntdqa");
}

bool spoils_blocks(const Decoded& decoded) {
  return is_non_temporal_store(decoded) ||
         std::ranges::find(kSpoilBlocks, decoded.instruction.mnemonic) != std::end(kSpoilBlocks);
}

bool is_suited(const InstructionForm& form, RandomMemory memory) {
  const auto decoded = decode_one(form.code);
  if (!decoded || form.extension == "X87" || works_on_x87_stack(form)) return false;
  if (spoils_blocks(*decoded)) return false;
  const std::vector<OperandUse> uses = uses_of(*decoded);
  if (!asks_for_little(*decoded, uses) || !has_base_if_any(*decoded)) return false;
  if (memory == RandomMemory::kNone) return !names_memory(*decoded);
  return memory == RandomMemory::kSome || names_memory(*decoded);
}

/// One block while it is drawn.
class Drawing {
 public:
  Drawing(const RandomBlockRequest& request, std::uint64_t index)
      : request_(request), draw_(request.seed, index) {}

  Draw& draw() { return draw_; }

  std::optional<Bytes> instruction(const InstructionForm& form) {
    const auto decoded = decode_one(form.code);
    if (!decoded) return std::nullopt;
    OperandChoice choice;
    const std::vector<OperandUse> uses = uses_of(*decoded);
    for (const OperandUse& use : uses) {
      if (use.chosen) choice.registers[{use.operand, use.part}] = number(*decoded, use);
    }
    if (names_memory(*decoded)) choice.displacement = displacement(uses);
    return encode_form(form, choice);
  }

 private:
  int number(const Decoded& decoded, const OperandUse& use) {
    switch (use.place.carrier) {
      case Carrier::kGeneral:
        if (use.part != Part::kBase) return draw_.pick(kGeneral);
        return request_.aliasing ? draw_.pick(kBases) : kBases.front();
      case Carrier::kVector: {
        const bool evex = decoded.instruction.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX;
        return static_cast<int>(draw_.below(evex ? kVectors : kVectorsWithoutEvex));
      }
      case Carrier::kMask:
        return 1 + static_cast<int>(draw_.below(7));  // k0 as a mask would mean no mask
      default:
        return static_cast<int>(draw_.below(8));
    }
  }

  /// The displacement of the memory operand; a multiple of a line if the operand may have to be
  /// aligned.
  int displacement(const std::vector<OperandUse>& uses) {
    if (!request_.aliasing) return kLineBytes * lines_++;
    const bool wide = std::ranges::any_of(uses, [](const OperandUse& use) {
      return use.place.carrier == Carrier::kMemory && use.bits > 64;
    });
    return wide ? kLineBytes * static_cast<int>(draw_.below(2))
                : 8 * static_cast<int>(draw_.below(16));
  }

  const RandomBlockRequest& request_;
  Draw draw_;
  int lines_ = 0;
};

void append(Bytes& bytes, const Bytes& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

}  // namespace

template <>
std::optional<RandomMemory> named<RandomMemory>(std::string_view word) {
  static constexpr std::array<std::string_view, 3> kNames = {"none", "some", "only"};
  return value_named<RandomMemory>(kNames, word);
}

RandomBlocks::RandomBlocks(const std::vector<const InstructionForm*>& forms,
                           const RandomBlockRequest& request)
    : request_(request) {
  std::map<std::string_view, std::vector<const InstructionForm*>> by_mnemonic;
  for (const InstructionForm* form : forms) {
    if (is_suited(*form, request.memory)) by_mnemonic[form->mnemonic].push_back(form);
  }
  for (auto& [mnemonic, own] : by_mnemonic) by_mnemonic_.push_back(std::move(own));
  if (by_mnemonic_.empty()) {
    throw InputError(
        "none of the instruction forms is one that random blocks are made of: choose "
        "more of them, or another --memory");
  }
}

std::size_t RandomBlocks::forms() const {
  std::size_t count = 0;
  for (const auto& own : by_mnemonic_) count += own.size();
  return count;
}

CorpusEntry RandomBlocks::block(std::uint64_t index) const {
  Drawing drawing(request_, index);
  const auto span = static_cast<std::uint64_t>(request_.longest - request_.shortest + 1);
  const int length = request_.shortest + static_cast<int>(drawing.draw().below(span));
  CorpusEntry entry;
  entry.name = fmt::format("random {}/{}", request_.seed, index);
  entry.state = request_.aliasing ? kAliasingState : "distinct";
  int made = 0;
  for (int tries = 0; made < length && tries < kTries * length; ++tries) {
    const InstructionForm* form = drawing.draw().pick(drawing.draw().pick(by_mnemonic_));
    const auto code = drawing.instruction(*form);
    if (!code) continue;
    append(entry.bytes, *code);
    ++made;
  }
  if (made < length || !std::holds_alternative<Block>(decode(entry.bytes))) {
    throw Error(fmt::format("{} cannot be made", entry.name));
  }
  return entry;
}

}  // namespace assay

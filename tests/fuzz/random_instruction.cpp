#include "tests/fuzz/random_instruction.h"

#include <array>
#include <optional>
#include <variant>

#include "profiler/block/block.h"

namespace assay::fuzz {
namespace {

constexpr std::size_t kLongestInstruction = 15;
constexpr int kTries = 60;  ///< tries to find bytes that decode; almost never are all needed

constexpr std::uint8_t kPrefixes[] = {0x66, 0x67, 0xf2, 0xf3, 0xf0, 0x64, 0x65, 0x2e, 0x36, 0x3e};

void add(Bytes& code, std::initializer_list<unsigned> bytes) {
  for (const unsigned byte : bytes) code.push_back(static_cast<std::uint8_t>(byte));
}

/// Opcode maps. kMaps has the first one several times, since half of what compilers write is in it.
enum class Map { kOneByte, k0f, k0f38, k0f3a, k3dnow, kVex2, kVex3, kEvex, kXop };
constexpr Map kMaps[] = {Map::kOneByte, Map::kOneByte, Map::kOneByte, Map::kOneByte, Map::kOneByte,
                         Map::kOneByte, Map::k0f,      Map::k0f,      Map::k0f,      Map::k0f,
                         Map::k0f38,    Map::k0f3a,    Map::k3dnow,   Map::kVex2,    Map::kVex3,
                         Map::kVex3,    Map::kEvex,    Map::kEvex,    Map::kXop};

void add_prefixes(Random& random, Bytes& code) {
  while (random.one_in(6) && code.size() < kLongestInstruction) {
    code.push_back(random.pick(kPrefixes));
  }
}

void add_rex(Random& random, Bytes& code) {
  if (!random.one_in(2)) add(code, {0x40U | static_cast<unsigned>(random.below(16))});
}

// The fields of VEX, EVEX and XOP prefixes are random, except that only maps that exist are chosen,
// and that bits which are stored inverted are mostly 1.
void add_vex3(Random& random, Bytes& code, unsigned escape, unsigned first_map) {
  const auto map = first_map + static_cast<unsigned>(random.below(3));
  const auto inverted = static_cast<unsigned>(random.one_in(3) ? random.below(8) : 7);
  const auto vvvv = static_cast<unsigned>(random.one_in(2) ? random.below(16) : 15);
  const auto rest = static_cast<unsigned>(random.below(8));
  add(code, {escape, inverted << 5 | map, (random.one_in(2) ? 0x80U : 0U) | vvvv << 3 | rest});
}

void add_evex(Random& random, Bytes& code) {
  const auto map = 1 + static_cast<unsigned>(random.below(3));
  const auto inverted = static_cast<unsigned>(random.one_in(3) ? random.below(16) : 15);
  const auto vvvv = static_cast<unsigned>(random.one_in(2) ? random.below(16) : 15);
  const auto w_pp = (random.one_in(2) ? 0x80U : 0U) | static_cast<unsigned>(random.below(4));
  // z, L'L, b, V' (inverted), aaa
  const auto length = static_cast<unsigned>(random.below(random.one_in(8) ? 4 : 3));
  const unsigned masks = random.one_in(2) ? static_cast<unsigned>(random.below(8)) : 0;
  const unsigned zeroing = random.one_in(4) ? 0x80 : 0;
  const unsigned broadcast = random.one_in(5) ? 0x10 : 0;
  const unsigned upper = random.one_in(6) ? 0 : 8;
  add(code, {0x62, inverted << 4 | map, w_pp | vvvv << 3 | 4,
             zeroing | length << 5 | broadcast | upper | masks});
}

/// Adds everything that comes before the opcode.
void add_start(Random& random, Map map, Bytes& code) {
  add_prefixes(random, code);
  switch (map) {
    case Map::kVex2:
      return add(code, {0xc5, static_cast<unsigned>(random.byte()) | 0x80});
    case Map::kVex3:
      return add_vex3(random, code, 0xc4, 1);
    case Map::kXop:
      return add_vex3(random, code, 0x8f, 8);
    case Map::kEvex:
      return add_evex(random, code);
    default:
      add_rex(random, code);
  }
  if (map == Map::k0f) return add(code, {0x0f});
  if (map == Map::k0f38) return add(code, {0x0f, 0x38});
  if (map == Map::k0f3a) return add(code, {0x0f, 0x3a});
  if (map == Map::k3dnow) return add(code, {0x0f, 0x0f});
}

/// Adds a little-endian number of 32 bits: a small one, one near the end of a line or page, or any.
void add_number(Random& random, Bytes& code) {
  constexpr std::uint32_t kNumbers[] = {0,    1,    8,          16,         63,         64,  0xff8,
                                        4096, 8192, 0xffffffff, 0xfffffff8, 0xfffff000, 0x7f};
  const std::uint32_t number =
      random.one_in(12) ? static_cast<std::uint32_t>(random.word()) : random.pick(kNumbers);
  for (int i = 0; i < 4; ++i) code.push_back(static_cast<std::uint8_t>(number >> (8 * i)));
}

/// Adds what may follow an opcode: ModRM, SIB, a displacement and an immediate. The decoder decides
/// how much of it belongs to the instruction.
void add_operands(Random& random, Map map, Bytes& code) {
  const std::uint8_t modrm = random.byte();
  code.push_back(modrm);
  const bool memory = modrm < 0xc0;
  if (memory && (modrm & 7) == 4) code.push_back(random.byte());
  if (memory && modrm >= 0x80) add_number(random, code);
  if (memory && modrm >= 0x40 && modrm < 0x80) {
    code.push_back(static_cast<std::uint8_t>(random.one_in(3) ? random.byte() : 8));
  }
  if (memory && modrm < 0x40 && (modrm & 7) == 5) add_number(random, code);
  if (map == Map::k3dnow) {
    constexpr std::uint8_t kSuffixes[] = {0x0c, 0x0d, 0x1c, 0x1d, 0x8a, 0x8e, 0x90, 0x94,
                                          0x96, 0x97, 0x9a, 0x9e, 0xa0, 0xa4, 0xa6, 0xa7,
                                          0xaa, 0xae, 0xb0, 0xb4, 0xb6, 0xb7, 0xbb, 0xbf};
    code.push_back(random.pick(kSuffixes));
  }
  add_number(random, code);
  add_number(random, code);
}

Reason reason_of(const Bytes& code) {
  const auto decoded = decode(code);
  const auto* const refusal = std::get_if<Refusal>(&decoded);
  return refusal == nullptr ? Reason::kNone : refusal->outcome.reason;
}

/// The bytes of the instruction that the code starts with, if there is one and it is to be kept.
std::optional<Bytes> kept(Random& random, const Bytes& code) {
  Bytes start;
  for (std::size_t i = 0; i < code.size() && i < kLongestInstruction; ++i) {
    start.push_back(code[i]);
    const Reason reason = reason_of(start);
    if (reason == Reason::kInvalidInstruction) continue;
    if (reason == Reason::kNone || random.one_in(20)) return start;
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

Bytes random_instruction(Random& random) {
  for (int i = 0; i < kTries; ++i) {
    const Map map = random.pick(kMaps);
    Bytes code;
    add_start(random, map, code);
    code.push_back(random.byte());
    add_operands(random, map, code);
    if (auto instruction = kept(random, code)) return *std::move(instruction);
  }
  return {0x90};
}

Bytes random_instructions(Random& random, std::size_t count) {
  Bytes code;
  for (std::size_t i = 0; i < count; ++i) {
    const Bytes next = random_instruction(random);
    code.insert(code.end(), next.begin(), next.end());
  }
  return code;
}

}  // namespace assay::fuzz

#include "tests/fuzz/inputs.h"

#include <array>
#include <utility>
#include <variant>

#include "profiler/block/block.h"
#include "suites/readers/corpus_reader.h"
#include "tests/fuzz/mutation.h"
#include "tests/fuzz/random_instruction.h"

namespace assay::fuzz {
namespace {

constexpr std::array<std::string_view, kInputKinds> kNames = {
    "hostile", "mixed", "mutated", "instructions", "random bytes", "extreme"};

constexpr Notion kNotions[] = {Notion::kUnrolled, Notion::kLooped};

/// The kind of an input after the hostile blocks, by a share from 0 to 99.
InputKind kind_of(std::size_t share) {
  if (share < 34) return InputKind::kMixed;
  if (share < 62) return InputKind::kMutated;
  if (share < 86) return InputKind::kInstructions;
  return InputKind::kRandomBytes;
}

Bytes random_bytes(Random& random) {
  Bytes bytes(random.between(1, 60));
  for (std::uint8_t& byte : bytes) byte = random.byte();
  return bytes;
}

/// An empty block, or a large one that repeats one instruction: of 1000 to 9000 bytes, or of about
/// as many as can be decoded.
Bytes extreme(Random& random) {
  if (random.one_in(4)) return {};
  const Bytes one = random_instruction(random);
  const std::size_t size = random.one_in(2) ? random.between(kLargestBlock - 16, kLargestBlock + 1)
                                            : random.between(1000, 9000);
  Bytes bytes;
  while (bytes.size() + one.size() <= size) bytes.insert(bytes.end(), one.begin(), one.end());
  while (bytes.size() < size) bytes.push_back(0x90);
  return bytes;
}

}  // namespace

std::string_view name(InputKind kind) { return kNames.at(static_cast<std::size_t>(kind)); }

InputSource::InputSource(std::uint64_t seed, std::vector<Bytes> real, std::vector<Bytes> hostile)
    : seed_(seed), real_(std::move(real)), hostile_(std::move(hostile)) {}

Input InputSource::input(std::uint64_t number) const {
  const Notion notion = kNotions[number % 2];
  if (number < hostile_inputs()) return {InputKind::kHostile, hostile_[number / 2], notion};
  // Two different numbers never get the same seed here, since the multiplier is odd.
  Random random(seed_ + 0x9e37'79b9'7f4a'7c15 * number);
  const InputKind kind = random.one_in(1000) ? InputKind::kExtreme : kind_of(random.below(100));
  return {kind, bytes_of(kind, random), notion};
}

Bytes InputSource::bytes_of(InputKind kind, Random& random) const {
  switch (kind) {
    case InputKind::kHostile:
      return random.pick(hostile_);
    case InputKind::kMixed:
      return mixed(random);
    case InputKind::kMutated:
      return mutated(random, random.pick(real_), real_);
    case InputKind::kInstructions:
      return random_instructions(random, random.between(1, 8));
    case InputKind::kRandomBytes:
      return random_bytes(random);
    case InputKind::kExtreme:
      return extreme(random);
  }
  return {};
}

Bytes InputSource::mixed(Random& random) const {
  if (random.one_in(3)) return mutated(random, random.pick(hostile_), hostile_);
  Bytes bytes = random_instructions(random, random.below(3));
  const Bytes& hostile = random.pick(hostile_);
  bytes.insert(bytes.end(), hostile.begin(), hostile.end());
  const Bytes behind = random.one_in(2) ? random.pick(real_) : random_instruction(random);
  bytes.insert(bytes.end(), behind.begin(), behind.end());
  return bytes;
}

std::vector<Bytes> blocks_of(const std::filesystem::path& corpus) {
  const auto format =
      corpus.extension() == ".csv" ? CorpusFormat::kBhiveFrequency : CorpusFormat::kHex;
  CorpusReader reader = CorpusReader::open(corpus, format);
  std::vector<Bytes> blocks;
  while (auto item = reader.next()) {
    if (auto* const entry = std::get_if<CorpusEntry>(&*item)) {
      blocks.push_back(std::move(entry->bytes));
    }
  }
  return blocks;
}

}  // namespace assay::fuzz

#include "tests/fuzz/mutation.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "profiler/block/block.h"
#include "tests/fuzz/random_instruction.h"

namespace assay::fuzz {
namespace {

constexpr std::size_t kLargest = 400;  ///< most bytes of a mutated block

Bytes joined(const std::vector<Bytes>& parts) {
  Bytes bytes;
  for (const Bytes& part : parts) bytes.insert(bytes.end(), part.begin(), part.end());
  return bytes;
}

void change_bytes(Random& random, Bytes& block) {
  if (block.empty()) return;
  std::uint8_t& byte = block[random.below(block.size())];
  switch (random.below(3)) {
    case 0:
      byte = static_cast<std::uint8_t>(byte ^ 1U << random.below(8));
      break;
    case 1:
      byte = random.byte();
      break;
    default:
      block.resize(random.between(1, block.size()));
  }
}

/// Changes the displacement or immediate of an instruction, which are its last bytes.
void change_operand(Random& random, std::vector<Bytes>& parts) {
  Bytes& part = parts[random.below(parts.size())];
  if (part.empty()) return;
  const std::size_t last = std::min<std::size_t>(part.size(), 4);
  part[part.size() - 1 - random.below(last)] = random.byte();
}

void splice(Random& random, std::vector<Bytes>& parts, const Bytes& other) {
  const std::vector<Bytes> behind = instructions_of(other);
  parts.resize(random.below(parts.size() + 1));
  parts.insert(parts.end(),
               behind.begin() + static_cast<std::ptrdiff_t>(random.below(behind.size())),
               behind.end());
}

void change_instructions(Random& random, std::vector<Bytes>& parts, std::span<const Bytes> others) {
  const auto place = parts.begin() + static_cast<std::ptrdiff_t>(random.below(parts.size()));
  switch (random.below(6)) {
    case 0:
      if (parts.size() > 1) parts.erase(place);
      break;
    case 1:
      parts.insert(place, Bytes(parts[random.below(parts.size())]));
      break;
    case 2:
      std::iter_swap(place,
                     parts.begin() + static_cast<std::ptrdiff_t>(random.below(parts.size())));
      break;
    case 3:
      parts.insert(place, random_instruction(random));
      break;
    case 4:
      splice(random, parts, random.pick(others));
      break;
    default:
      change_operand(random, parts);
  }
}

}  // namespace

std::vector<Bytes> instructions_of(const Bytes& block) {
  const auto decoded = decode(block);
  const auto* const whole = std::get_if<Block>(&decoded);
  if (whole == nullptr) return {block};
  std::vector<Bytes> parts;
  for (const Instruction& each : whole->instructions) {
    const auto first = block.begin() + static_cast<std::ptrdiff_t>(each.offset);
    parts.emplace_back(first, first + static_cast<std::ptrdiff_t>(each.length));
  }
  return parts;
}

Bytes mutated(Random& random, const Bytes& block, std::span<const Bytes> others) {
  Bytes result = block;
  for (std::size_t i = random.between(1, 4); i > 0; --i) {
    if (random.one_in(4)) {
      change_bytes(random, result);
      continue;
    }
    std::vector<Bytes> parts = instructions_of(result);
    change_instructions(random, parts, others);
    result = joined(parts);
  }
  if (result.size() > kLargest) result.resize(kLargest);
  return result;
}

}  // namespace assay::fuzz

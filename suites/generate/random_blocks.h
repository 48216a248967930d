#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "profiler/block/bytes.h"
#include "profiler/support/named.h"
#include "suites/generate/form.h"
#include "suites/readers/corpus_entry.h"

namespace assay {

enum class RandomMemory : std::uint8_t { kNone, kSome, kOnly };

/// Parses "none", "some" or "only".
template <>
std::optional<RandomMemory> named<RandomMemory>(std::string_view name);

struct RandomBlockRequest {
  std::uint64_t seed = 0;
  int shortest = 1;  ///< instructions; at least 1
  int longest = 10;  ///< instructions; at least `shortest`
  RandomMemory memory = RandomMemory::kSome;
  /// Whether memory operands meet: three base registers hold one address, and displacements are
  /// drawn from a few. Otherwise each memory operand of a block has a line of its own.
  bool aliasing = false;
};

/// Blocks of random instructions. For each instruction a mnemonic is drawn, all with the same
/// chance, then one of its forms, then registers. Block i is the same for the same seed, forms,
/// request and version of assay, on every machine and however many others are drawn. Blocks run
/// under the state `distinct`: address registers are never written, and forms that need more than
/// an address are left out: x87, repeated string instructions, gathers, divisions, branches, and
/// what moves RSP, RSI or RDI.
class RandomBlocks {
 public:
  /// Throws InputError if no form is left to draw from.
  RandomBlocks(const std::vector<const InstructionForm*>& forms, const RandomBlockRequest& request);

  /// The i-th block, named "random SEED/I"; decode() accepts it.
  CorpusEntry block(std::uint64_t index) const;

  std::size_t forms() const;

 private:
  RandomBlockRequest request_;
  std::vector<std::vector<const InstructionForm*>> by_mnemonic_;
};

}  // namespace assay

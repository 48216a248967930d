#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "profiler/block/bytes.h"
#include "profiler/measurement/measurement.h"
#include "tests/fuzz/random.h"

namespace assay::fuzz {

enum class InputKind {
  kHostile,       ///< a hostile block, as it is in the list
  kMixed,         ///< a hostile block with neighbours, or mutated
  kMutated,       ///< a real block, mutated
  kInstructions,  ///< one to eight random instructions
  kRandomBytes,   ///< 1 to 60 random bytes
  kExtreme,       ///< no bytes at all, or many: up to one more than can be decoded
};
inline constexpr int kInputKinds = 6;
std::string_view name(InputKind kind);

struct Input {
  InputKind kind = InputKind::kHostile;
  Bytes bytes;
  Notion notion = Notion::kUnrolled;
};

/// Makes the inputs that attack the profiler. An input depends only on the seed, its number and the
/// two lists of blocks, so that a failure can be repeated by itself.
///
/// The first numbers are the hostile blocks one by one, each under both notions. Of all others,
/// half are made of blocks that mostly run (mutated blocks and random instructions) and a third of
/// hostile ones; notions alternate.
class InputSource {
 public:
  /// Neither list may be empty.
  InputSource(std::uint64_t seed, std::vector<Bytes> real, std::vector<Bytes> hostile);

  Input input(std::uint64_t number) const;
  /// How many inputs are hostile blocks as they are in the list.
  std::uint64_t hostile_inputs() const { return 2 * hostile_.size(); }

 private:
  Bytes bytes_of(InputKind kind, Random& random) const;
  Bytes mixed(Random& random) const;

  std::uint64_t seed_;
  std::vector<Bytes> real_;
  std::vector<Bytes> hostile_;
};

/// The blocks of a corpus whose format is `hex`, or `bhive-frequency` if its name ends in ".csv".
/// Bad lines are passed over. Throws what CorpusReader does.
std::vector<Bytes> blocks_of(const std::filesystem::path& corpus);

}  // namespace assay::fuzz

#include "harness/campaign/seen_blocks.h"

#include <utility>

namespace assay {

SeenBlocks::Found SeenBlocks::add(std::uint64_t hash, std::uint16_t corpus) {
  const auto [entry, is_new] = latest_corpora_.try_emplace(hash, corpus);
  return {is_new, is_new || std::exchange(entry->second, corpus) != corpus};
}

}  // namespace assay

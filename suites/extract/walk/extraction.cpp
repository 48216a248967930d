#include "suites/extract/walk/extraction.h"

#include "suites/extract/walk/block_collector.h"
#include "suites/extract/walk/code_space.h"

namespace assay {

ExtractionCounts& ExtractionCounts::operator+=(const ExtractionCounts& other) {
  images += other.images;
  functions += other.functions;
  code_bytes += other.code_bytes;
  function_bytes += other.function_bytes;
  reached_bytes += other.reached_bytes;
  blocks += other.blocks;
  block_bytes += other.block_bytes;
  loops += other.loops;
  walk += other.walk;
  skipped += other.skipped;
  return *this;
}

ExtractionCounts extract_blocks(const Image& image, const ExtractionOptions& options,
                                BlockSet& blocks) {
  const CodeSpace space(image);
  CodeWalk walk(image, space);
  ExtractionCounts counts;
  const bool finished = walk.run(options.goes_on);
  counts.images = 1;
  counts.functions = static_cast<std::int64_t>(space.functions());
  counts.code_bytes = static_cast<std::int64_t>(space.code_bytes());
  counts.function_bytes = static_cast<std::int64_t>(space.function_bytes());
  counts.reached_bytes = static_cast<std::int64_t>(walk.reached());
  counts.walk = walk.counts();
  if (!finished) return counts;
  BlockCollector collector(image, options.choice, blocks);
  const bool with_branch = options.choice.with_branch();
  counts.skipped = cut_blocks(space, walk.marks(), with_branch, [&](const CutBlock& block) {
    collector.add(block, space.address_of(block.offset), 1);
    ++counts.blocks;
    counts.block_bytes += static_cast<std::int64_t>(block.bytes.size());
    if (block.loop) ++counts.loops;
    return counts.blocks % 65536 != 0 || options.goes_on(walk.reached());
  });
  return counts;
}

}  // namespace assay

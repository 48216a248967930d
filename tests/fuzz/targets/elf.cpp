// A program: all that is done with an ELF file or archive until its blocks are a corpus.
#include <algorithm>

#include "profiler/block/block.h"
#include "profiler/block/control_flow.h"
#include "profiler/support/error.h"
#include "suites/extract/program/program_file.h"
#include "suites/extract/walk/extraction.h"
#include "tests/fuzz/targets/target.h"

namespace assay::fuzz {
namespace {

void check_ranges(const std::vector<ImageRange>& ranges) {
  std::uint64_t end = 0;
  for (const ImageRange& range : ranges) {
    require(range.size > 0 && range.address >= end, "ranges overlap, or are out of order");
    require(range.bytes.size() <= range.size, "a range holds more bytes than it has");
    end = range.end();
    require(end > range.address, "a range wraps around");
  }
}

void check_image(const Image& image) {
  check_ranges(image.executable);
  check_ranges(image.data);
  require(!image.executable.empty(), "an image has no code");
  std::uint64_t end = 0;
  for (const FrameRange& frame : image.frames) {
    require(frame.start >= end && frame.end > frame.start, "frames overlap, or are out of order");
    require(image.code_at(frame.start).size() >= frame.end - frame.start, "a frame is no code");
    end = frame.end;
  }
  for (const FunctionSymbol& symbol : image.functions) {
    const auto code = image.code_at(symbol.address);
    require(!code.empty() && symbol.size <= code.size(), "a function is no code");
  }
  for (const LandingPad& pad : image.landing_pads) {
    require(!image.code_at(pad.address).empty(), "a landing pad is no code");
  }
}

/// Checks that a block is a row of instructions, of which only the last may hand control elsewhere.
void check_block(const CorpusEntry& entry, bool keep_branch) {
  require(!entry.bytes.empty() && entry.bytes.size() <= kLargestBlock, "a block of an odd size");
  require(!entry.origin.empty() && *entry.frequency >= 1, "a block from nowhere");
  for (std::size_t at = 0; at < entry.bytes.size();) {
    const auto flow = control_flow(std::span(entry.bytes).subspan(at));
    require(flow.has_value(), "a block holds what is no instruction");
    at += flow->length;
    const bool last = at == entry.bytes.size();
    const bool jump = flow->kind == FlowKind::kJump || flow->kind == FlowKind::kConditionalJump;
    require(!ends_block(flow->kind) || (keep_branch && last && jump),
            "a block goes on behind its end");
  }
}

void extract(const std::string& path, const BlockChoice& choice) {
  ProgramFile file(path);
  while (const auto image = file.next()) {
    check_image(*image);
    BlockSet blocks;
    const auto counts = extract_blocks(*image, {choice}, blocks);
    require(counts.reached_bytes <= counts.code_bytes, "more code was reached than there is");
    require(counts.block_bytes <= counts.reached_bytes, "blocks hold more than was reached");
    const auto places = choice.loops ? counts.loops : counts.blocks;
    require(blocks.total() == static_cast<std::uint64_t>(places), "a place was not counted");
    for (const CorpusEntry& entry : blocks.entries()) check_block(entry, choice.with_branch());
  }
}

}  // namespace
}  // namespace assay::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const assay::fuzz::FileInMemory file(assay::fuzz::text_from(data, size));
  for (const assay::BlockChoice& choice :
       {assay::BlockChoice{}, assay::BlockChoice{.keep_branch = true},
        assay::BlockChoice{.loops = true}}) {
    try {
      assay::fuzz::extract(file.path(), choice);
    } catch (const assay::InputError&) {
    }
  }
  return 0;
}

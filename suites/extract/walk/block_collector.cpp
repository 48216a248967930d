#include "suites/extract/walk/block_collector.h"

#include <fmt/format.h>

namespace assay {

BlockCollector::BlockCollector(const Image& image, const BlockChoice& choice, BlockSet& blocks)
    : image_(image), only_loops_(choice.loops), blocks_(blocks), origins_(image) {}

void BlockCollector::add(const CutBlock& block, std::uint64_t address, std::uint64_t count) {
  if (!only_loops_) {
    blocks_.add(block.bytes, count, origins_.of(address));
  } else if (block.loop) {
    blocks_.add(block.bytes, count, origins_.of(address), place_of(address));
  }
}

std::string BlockCollector::place_of(std::uint64_t address) {
  std::string place = fmt::format("{:#x}", address);
  const FunctionSymbol* const function = image_.function_at(address);
  if (function != nullptr && !function->name.empty()) {
    place += fmt::format(" {}+{:#x}", function->name, address - function->address);
  }
  if (!lines_) lines_.emplace(image_);
  const std::string line = lines_->at(address);
  return line.empty() ? place : place + ' ' + line;
}

}  // namespace assay

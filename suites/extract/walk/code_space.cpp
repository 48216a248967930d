#include "suites/extract/walk/code_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "profiler/support/error.h"

namespace assay {

CodeSpace::CodeSpace(const Image& image) {
  for (const ImageRange& range : image.executable) {
    if (range.bytes.size() >= std::numeric_limits<CodeOffset>::max() - size_) {
      throw InputError(fmt::format("{} holds 4 GiB of code or more: too much", image.name));
    }
    pieces_.push_back({range.address, static_cast<CodeOffset>(size_), range.bytes});
    size_ += range.bytes.size() + 1;
  }
  for (const FrameRange& frame : image.frames) add_function(frame.start, frame.end);
  // Frame entries take precedence over symbols: compilers write all of them, while people write
  // some of the symbols.
  const std::size_t frames = functions_.size();
  for (const FunctionSymbol& symbol : image.functions) {
    const auto offset = offset_of(symbol.address);
    const auto next = std::upper_bound(
        functions_.begin(), functions_.begin() + static_cast<std::ptrdiff_t>(frames), *offset,
        [](CodeOffset place, const Function& each) { return place < each.start; });
    const bool framed = next != functions_.begin() && *offset < (next - 1)->end;
    if (!framed && symbol.size > 0) add_function(symbol.address, symbol.address + symbol.size);
  }
  std::ranges::stable_sort(functions_, {}, &Function::start);
  for (std::size_t i = 0; i + 1 < functions_.size(); ++i) {
    functions_[i].end = std::min(functions_[i].end, functions_[i + 1].start);
  }
  for (const Function& each : functions_) function_bytes_ += each.end - each.start;
}

void CodeSpace::add_function(std::uint64_t start, std::uint64_t end) {
  const CodeOffset offset = *offset_of(start);
  functions_.push_back({offset, static_cast<CodeOffset>(offset + (end - start)), true});
}

const CodeSpace::Piece& CodeSpace::piece_at(CodeOffset offset) const {
  return *(std::ranges::upper_bound(pieces_, offset, {}, &Piece::offset) - 1);
}

std::optional<CodeOffset> CodeSpace::offset_of(std::uint64_t address) const {
  const auto next = std::ranges::upper_bound(pieces_, address, {}, &Piece::address);
  if (next == pieces_.begin()) return std::nullopt;
  const Piece& piece = *(next - 1);
  if (address - piece.address >= piece.bytes.size()) return std::nullopt;
  return static_cast<CodeOffset>(piece.offset + (address - piece.address));
}

std::uint64_t CodeSpace::address_of(CodeOffset offset) const {
  const Piece& piece = piece_at(offset);
  return piece.address + (offset - piece.offset);
}

std::span<const std::uint8_t> CodeSpace::code_from(CodeOffset offset) const {
  const Piece& piece = piece_at(offset);
  return piece.bytes.subspan(offset - piece.offset);
}

CodeSpace::Function CodeSpace::function_at(CodeOffset offset) const {
  const Piece& piece = piece_at(offset);
  Function around{piece.offset, static_cast<CodeOffset>(piece.offset + piece.bytes.size()), false};
  const auto next = std::ranges::upper_bound(functions_, offset, {}, &Function::start);
  if (next != functions_.begin()) {
    if (offset < (next - 1)->end) return *(next - 1);
    around.start = std::max(around.start, (next - 1)->end);
  }
  if (next != functions_.end()) around.end = std::min(around.end, next->start);
  return around;
}

}  // namespace assay

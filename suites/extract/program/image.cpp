#include "suites/extract/program/image.h"

#include <algorithm>

namespace assay {
namespace {

/// The last element whose address is not above the given one; nullptr if there is none.
template <typename T>
const T* last_up_to(const std::vector<T>& sorted, std::uint64_t address) {
  const auto next = std::ranges::upper_bound(sorted, address, {}, &T::address);
  return next == sorted.begin() ? nullptr : &*(next - 1);
}

std::span<const std::uint8_t> bytes_in(const std::vector<ImageRange>& ranges,
                                       std::uint64_t address) {
  const ImageRange* const range = last_up_to(ranges, address);
  if (range == nullptr || address - range->address >= range->bytes.size()) return {};
  return range->bytes.subspan(address - range->address);
}

}  // namespace

std::span<const std::uint8_t> Image::bytes_at(std::uint64_t address) const {
  const auto code = code_at(address);
  return code.empty() ? bytes_in(data, address) : code;
}

std::span<const std::uint8_t> Image::code_at(std::uint64_t address) const {
  return bytes_in(executable, address);
}

const FunctionSymbol* Image::function_at(std::uint64_t address) const {
  const FunctionSymbol* const last = last_up_to(functions, address);
  if (last == nullptr) return nullptr;
  // Of several symbols at one address the first by name is taken: no alias is better than another.
  const auto found =
      std::ranges::lower_bound(functions, last->address, {}, &FunctionSymbol::address);
  const bool inside = found->size == 0 || address - found->address < found->size;
  return inside ? &*found : nullptr;
}

const Import* Image::import_at(std::uint64_t address) const {
  const auto found = std::ranges::lower_bound(imports, address, {}, &Import::address);
  return found != imports.end() && found->address == address ? &*found : nullptr;
}

}  // namespace assay

#include "profiler/support/printable.h"

#include <fmt/format.h>

#include <cstdint>

namespace assay {

std::string printable(std::string_view text) {
  constexpr std::uint8_t kDelete = 0x7f;
  constexpr std::uint8_t kLeadOfC1 = 0xc2;
  std::string all;
  std::uint8_t before = 0;
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    const bool c0 = (byte < ' ' && c != '\n' && c != '\t') || byte == kDelete;
    const bool c1 = before == kLeadOfC1 && byte >= 0x80 && byte < 0xa0;
    if (c1) {
      all.pop_back();
      all += fmt::format("\\x{:02x}", before);
    }
    all += c0 || c1 ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
    before = byte;
  }
  return all;
}

}  // namespace assay

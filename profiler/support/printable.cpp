#include "profiler/support/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace assay {
namespace {

/// Characters that are no text, as UTF-8 writes them: their first bytes, and the range of the last.
struct Controls {
  std::string_view begin;
  std::uint8_t first;
  std::uint8_t last;
};

constexpr std::array kControls = {
    Controls{"", 0x00, 0x1f},          // C0
    Controls{"", 0x7f, 0x7f},          // delete
    Controls{"\xc2", 0x80, 0x9f},      // C1
    Controls{"\xd8", 0x9c, 0x9c},      // U+061C: Arabic letter mark
    Controls{"\xe2\x80", 0x8e, 0x8f},  // U+200E and U+200F: marks of direction
    Controls{"\xe2\x80", 0xa8, 0xae},  // U+2028 to U+202E: separators, embeddings, overrides
    Controls{"\xe2\x81", 0xa6, 0xa9},  // U+2066 to U+2069: isolates
};

/// The length in bytes of the control character that the text begins with; 0 if it is none.
std::size_t length_of_control(std::string_view text) {
  for (const Controls& controls : kControls) {
    const std::size_t before = controls.begin.size();
    if (text.size() <= before || !text.starts_with(controls.begin)) continue;
    const auto last = static_cast<std::uint8_t>(text[before]);
    if (controls.first <= last && last <= controls.last) return before + 1;
  }
  return 0;
}

std::string escaped(std::string_view text, std::string_view kept) {
  std::string all;
  while (!text.empty()) {
    const std::size_t control =
        kept.find(text.front()) != std::string_view::npos ? 0 : length_of_control(text);
    if (control == 0) all += text.front();
    for (const char c : text.substr(0, control)) {
      all += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(c));
    }
    text.remove_prefix(std::max<std::size_t>(control, 1));
  }
  return all;
}

}  // namespace

std::string printable(std::string_view text) { return escaped(text, "\n\t"); }

std::string printable_name(std::string_view name) { return escaped(name, ""); }

}  // namespace assay

#include "suites/readers/utf8.h"

#include <cstdint>

namespace assay {
namespace {

/// Which bytes may follow the first byte of a character (RFC 3629, section 4).
struct Row {
  std::uint8_t first, last;                ///< the range of the first byte
  std::uint8_t second_first, second_last;  ///< that of the second byte; further ones are 80 to bf
  std::size_t length;                      ///< bytes of the character
};

constexpr Row kRows[] = {
    {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
    {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
    {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

std::uint8_t byte_at(std::string_view text, std::size_t i) {
  return static_cast<std::uint8_t>(text[i]);
}

bool matches(std::string_view text, const Row& row) {
  const std::uint8_t first = byte_at(text, 0);
  if (first < row.first || first > row.last || text.size() < row.length) return false;
  const std::uint8_t second = byte_at(text, 1);
  if (second < row.second_first || second > row.second_last) return false;
  for (std::size_t i = 2; i < row.length; ++i) {
    if ((byte_at(text, i) & 0xc0) != 0x80) return false;
  }
  return true;
}

/// How many bytes the character takes that the text starts with; 0 if it is not valid UTF-8.
std::size_t character_length(std::string_view text) {
  if (byte_at(text, 0) < 0x80) return 1;
  for (const Row& row : kRows) {
    if (matches(text, row)) return row.length;
  }
  return 0;
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size()) {
    const std::size_t next = character_length(text.substr(length));
    if (next == 0) break;
    length += next;
  }
  return length;
}

std::string as_utf8(std::string_view text) {
  std::string result;
  for (;;) {
    const std::size_t length = utf8_length(text);
    result += text.substr(0, length);
    if (length == text.size()) return result;
    result += "\xef\xbf\xbd";
    text.remove_prefix(length + 1);
  }
}

}  // namespace assay

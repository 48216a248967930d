#include "profiler/support/clipped.h"

#include <fmt/format.h>

#include <iterator>

namespace assay {
namespace {

void append_escaped(std::string& out, char character) {
  const auto byte = static_cast<unsigned char>(character);
  if (byte < 0x20 || byte > 0x7e) {
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
    return;
  }
  if (character == '"' || character == '\\') out += '\\';
  out += character;
}

}  // namespace

std::string clipped(std::string_view text) {
  std::string out = "\"";
  for (const char character : text.substr(0, kClippedLength)) append_escaped(out, character);
  out += text.size() > kClippedLength ? "\"..." : "\"";
  return out;
}

}  // namespace assay

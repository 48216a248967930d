#include "profiler/block/bytes.h"

#include <fmt/format.h>

#include "profiler/support/error.h"

namespace assay {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

/// The digit's value; -1 for any other character.
int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string shown(char c) {
  if (c >= ' ' && c <= '~') return fmt::format("'{}'", c);
  return fmt::format("the byte 0x{:02x}", static_cast<unsigned char>(c));
}

int digit_at(std::string_view hex, std::size_t index) {
  const int value = digit_value(hex[index]);
  if (value < 0) {
    throw InputError(
        fmt::format("{} at position {} is no hexadecimal digit", shown(hex[index]), index + 1));
  }
  return value;
}

}  // namespace

Bytes bytes_from_hex(std::string_view hex) {
  Bytes bytes;
  bytes.reserve(hex.size() / 2);
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    const int high = digit_at(hex, i);
    bytes.push_back(static_cast<std::uint8_t>(high * 16 + digit_at(hex, i + 1)));
  }
  if (hex.size() % 2 != 0) {
    // A last character that is no digit is the better complaint: digit_at() throws for it.
    digit_at(hex, hex.size() - 1);
    throw InputError(
        fmt::format("{} hexadecimal digits: a byte has two, so their number is even", hex.size()));
  }
  return bytes;
}

std::string hex_from_bytes(const Bytes& bytes) {
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const std::uint8_t byte : bytes) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

}  // namespace assay

#include "suites/readers/json_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "profiler/support/blanks.h"
#include "profiler/support/clipped.h"
#include "suites/readers/utf8.h"

namespace assay {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void append_utf8(std::string& target, unsigned code) {
  const auto append = [&](unsigned byte) { target += static_cast<char>(byte); };
  const auto append_tail = [&](int shift) { append(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    append(code);
  } else if (code < 0x800) {
    append(0xc0 | code >> 6);
    append_tail(0);
  } else if (code < 0x10000) {
    append(0xe0 | code >> 12);
    append_tail(6);
    append_tail(0);
  } else {
    append(0xf0 | code >> 18);
    append_tail(12);
    append_tail(6);
    append_tail(0);
  }
}

}  // namespace

std::size_t JsonCursor::column() {
  position_ = std::min(text_.find_first_not_of(kBlanks, position_), text_.size());
  return position_ + 1;
}

char JsonCursor::peek() {
  column();
  return at(position_);
}

bool JsonCursor::take(char wanted) {
  // peek() gives NUL at the end, which `wanted` could be too.
  if (peek() != wanted || position_ == text_.size()) return false;
  ++position_;
  return true;
}

void JsonCursor::expect(char wanted, std::string_view where) {
  if (take(wanted)) return;
  if (position_ == text_.size()) fail(position_, fmt::format("the line ends before {}", where));
  fail(position_, fmt::format("expected {}, found {}", where, clipped(text_.substr(position_, 1))));
}

Field JsonCursor::string(std::string& scratch) {
  expect('"', "a string");
  const std::size_t begin = position_;
  bool escaped = false;
  for (;;) {
    std::size_t run = position_;
    while (run < text_.size() && text_[run] != '"' && text_[run] != '\\' &&
           static_cast<unsigned char>(text_[run]) >= 0x20) {
      ++run;
    }
    const std::string_view plain = text_.substr(position_, run - position_);
    if (const std::size_t length = utf8_length(plain); length < plain.size()) {
      fail(position_ + length, fmt::format("{} is no UTF-8", clipped(plain.substr(length, 1))));
    }
    if (run == text_.size()) fail(begin - 1, "the string does not end");
    if (static_cast<unsigned char>(text_[run]) < 0x20) {
      fail(run, "a control character in a string");
    }
    position_ = run + 1;
    if (text_[run] == '"' && !escaped) return {plain, begin + 1};
    if (!std::exchange(escaped, true)) scratch.clear();
    scratch += plain;
    if (text_[run] == '"') return {scratch, begin + 1};
    append_escape(scratch);
  }
}

void JsonCursor::append_escape(std::string& target) {
  constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  const std::size_t backslash = position_ - 1;
  const char kind = at(position_++);
  if (const std::size_t found = kEscapes.find(kind); kind != '\0' && found != kEscapes.npos) {
    target += kMeanings[found];
    return;
  }
  if (kind != 'u') fail(backslash, "not a valid JSON escape");
  // A character beyond U+FFFF is written as a surrogate pair: two escapes (RFC 8259, section 7).
  unsigned code = hex_digits();
  if (code >= 0xd800 && code <= 0xdbff && at(position_) == '\\' && at(position_ + 1) == 'u') {
    position_ += 2;
    const unsigned low = hex_digits();
    if (low < 0xdc00 || low > 0xdfff) fail(backslash, "half a surrogate pair");
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  }
  if (code >= 0xd800 && code <= 0xdfff) fail(backslash, "half a surrogate pair");
  append_utf8(target, code);
}

unsigned JsonCursor::hex_digits() {
  constexpr std::string_view kDigits = "0123456789abcdefABCDEF";
  unsigned value = 0;
  for (int i = 0; i < 4; ++i, ++position_) {
    const std::size_t digit = kDigits.find(at(position_));
    if (position_ >= text_.size() || digit == kDigits.npos) {
      fail(position_, "four hexadecimal digits are due after \\u");
    }
    value = value * 16 + static_cast<unsigned>(digit < 16 ? digit : digit - 6);
  }
  return value;
}

Field JsonCursor::number() {
  const std::size_t begin = column() - 1;
  if (at(position_) == '-') ++position_;
  if (at(position_) == '0') {
    ++position_;
  } else {
    skip_digits();
  }
  if (at(position_) == '.') {
    ++position_;
    skip_digits();
  }
  if (at(position_) == 'e' || at(position_) == 'E') {
    ++position_;
    if (at(position_) == '+' || at(position_) == '-') ++position_;
    skip_digits();
  }
  return {text_.substr(begin, position_ - begin), begin + 1};
}

void JsonCursor::skip_digits() {
  if (!is_digit(at(position_))) fail(position_, "a digit is due here");
  while (is_digit(at(position_))) ++position_;
}

void JsonCursor::skip(int depth) {
  const std::size_t begin = column() - 1;
  if (depth > kDeepest) fail(begin, fmt::format("values nested more than {} deep", kDeepest));
  switch (peek()) {
    case '{':
      return skip_members(depth);
    case '[':
      return skip_elements(depth);
    case '"': {
      std::string scratch;
      string(scratch);
      return;
    }
    case 't':
      return skip_word("true");
    case 'f':
      return skip_word("false");
    case 'n':
      return skip_word("null");
    default:
      if (peek() != '-' && !is_digit(peek())) {
        fail(begin, begin == text_.size()
                        ? "the line ends before a value"
                        : clipped(text_.substr(begin, 1)) + " cannot start a value");
      }
      number();
  }
}

void JsonCursor::skip_members(int depth) {
  expect('{', "an object");
  if (take('}')) return;
  std::string scratch;
  do {
    string(scratch);
    expect(':', "':' after a key");
    skip(depth + 1);
  } while (take(','));
  expect('}', "',' or '}'");
}

void JsonCursor::skip_elements(int depth) {
  expect('[', "an array");
  if (take(']')) return;
  do skip(depth + 1);
  while (take(','));
  expect(']', "',' or ']'");
}

void JsonCursor::skip_word(std::string_view word) {
  if (text_.substr(position_, word.size()) != word) {
    fail(position_, clipped(text_.substr(position_, 1)) + " does not start a value");
  }
  position_ += word.size();
}

void JsonCursor::end() {
  if (column() <= text_.size()) fail(position_, "there is text after the object");
}

void JsonCursor::fail(std::size_t position, std::string text) const {
  throw Problem{position + 1, std::move(text)};
}

}  // namespace assay

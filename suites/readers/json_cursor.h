#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "suites/readers/field.h"

namespace assay {

/// Reads one JSON text (RFC 8259) from its start to its end, value by value, as whoever asks
/// expects them. Everything that it passes is checked; nothing is kept. All of it throws a
/// Problem where the text is no JSON, or another value than is asked for. (A library's parser does
/// not tell where a value stands that is of the wrong kind, and those at hand read fewer than a
/// million short lines a second.)
class JsonCursor {
 public:
  /// `text` must outlive it.
  explicit JsonCursor(std::string_view text) : text_(text) {}

  /// Of the next character that is no blank, counted from 1; of the end if there is none.
  std::size_t column();
  /// That character; NUL at the end.
  char peek();
  /// Takes it if it is this one; says whether it was.
  bool take(char wanted);
  /// Takes it. `where` is for the message: "':' after a key".
  void expect(char wanted, std::string_view where);

  /// A string without its quotes and with its escapes resolved: a view of the text, or of `scratch`
  /// if it had some. Its column is that of its first character.
  Field string(std::string& scratch);
  /// A number as it is written.
  Field number();
  /// Any value. No deeper than kDeepest within each other, so that it can recurse.
  void skip(int depth = 0);
  /// Nothing but blanks to the end.
  void end();

  static constexpr int kDeepest = 64;

 private:
  void skip_members(int depth);
  void skip_elements(int depth);
  void skip_word(std::string_view word);
  void skip_digits();
  void append_escape(std::string& target);
  unsigned hex_digits();
  char at(std::size_t position) const { return position < text_.size() ? text_[position] : '\0'; }
  [[noreturn]] void fail(std::size_t position, std::string text) const;

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace assay

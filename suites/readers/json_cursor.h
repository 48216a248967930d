#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "suites/readers/field.h"

namespace assay {

/// Reads one JSON text (RFC 8259) from its start to its end, value by value; the caller says which
/// kind of value it expects next. Everything that the cursor passes is checked, and nothing is
/// kept. Every function throws a Problem where the text is not JSON, or holds another kind of value
/// than was asked for. (A library's parser does not tell where a value of the wrong kind stands,
/// and those at hand read fewer than a million short lines a second.)
class JsonCursor {
 public:
  /// `text` must outlive the cursor.
  explicit JsonCursor(std::string_view text) : text_(text) {}

  /// Moves on to the next character that is no blank, and gives its column, counted from 1; the
  /// column behind the text if there is none.
  std::size_t column();
  /// The next character that is no blank, without taking it; NUL at the end.
  char peek();
  /// Takes the next character that is no blank if it is `wanted`; says whether it was.
  bool take(char wanted);
  /// Takes the next character that is no blank, which must be `wanted`. `where` describes it in the
  /// message: "':' after a key".
  void expect(char wanted, std::string_view where);

  /// Takes a string, and gives it without its quotes and with its escapes resolved: a view of the
  /// text, or of `scratch` if there were escapes. The field's column is that of the string's first
  /// character.
  Field string(std::string& scratch);
  /// Takes a number, and gives it as it is written.
  Field number();
  /// Takes any value, and checks it. Values may be nested kDeepest deep, so that recursion is safe.
  void skip(int depth = 0);
  /// Checks that nothing but blanks follows.
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

#include "profiler/block/assembly_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <utility>

#include "profiler/support/error.h"

namespace assay {
namespace {

/// How much of a long source line an error message shows.
constexpr std::size_t kShownCharacters = 120;

constexpr std::string_view kPrefixes[] = {"lock",     "rep",     "repe",   "repz",  "repne",
                                          "repnz",    "data16",  "addr32", "rex64", "xacquire",
                                          "xrelease", "notrack", "bnd"};

// Operators of Intel-syntax expressions that are refused. LLVM ends the process on a modulus by
// zero and on an operator before a symbol (`-~foo`), and it shifts by any amount, to any number.
constexpr std::string_view kOperators[] = {"~",   "!",  "^",   "&",   "|",   "not",
                                           "and", "or", "xor", "mod", "shl", "shr"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$' ||
         c == '@';
}

std::string lower(std::string_view word) {
  std::string result(word);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// Whether the word is a hexadecimal number in the form "10h" or "0FFh".
bool is_h_number(std::string_view word) {
  return word.size() >= 2 && is_digit(word[0]) && (word.back() == 'h' || word.back() == 'H') &&
         std::ranges::all_of(word.substr(0, word.size() - 1),
                             [](unsigned char c) { return std::isxdigit(c) != 0; });
}

/// The value of a decimal or hexadecimal number; 0 for every other word, which LLVM will judge.
std::uint64_t value_of(std::string_view word) {
  int base = 10;
  if (is_h_number(word)) {
    base = 16;
    word.remove_suffix(1);
  } else if (word.starts_with("0x") || word.starts_with("0X")) {
    base = 16;
    word.remove_prefix(2);
  }
  std::uint64_t value = 0;
  const auto result = std::from_chars(word.data(), word.data() + word.size(), value, base);
  return result.ec == std::errc() ? value : 0;
}

/// The text with comments replaced by spaces, so that all offsets stay the same.
std::string without_comments(std::string_view text) {
  std::string source(text);
  bool in_comment = false;
  for (char& c : source) {
    if (c == '\n') in_comment = false;
    if (c == '#') in_comment = true;
    if (in_comment) c = ' ';
  }
  return source;
}

/// One pass over the text, statement by statement, that checks it and copies it.
class Preparation {
 public:
  Preparation(std::string_view text, Syntax syntax)
      : text_(text), source_(without_comments(text)), syntax_(syntax) {}

  AssemblySource run() {
    for (std::size_t i = 0; i < source_.size(); ++i) check_character(i);
    for (std::size_t begin = 0; begin < source_.size();) {
      const std::size_t end = std::min(source_.find_first_of(";\n", begin), source_.size());
      take_statement(begin, end);
      if (end < source_.size()) copy(end, end + 1);
      begin = end + 1;
    }
    return std::move(result_);
  }

 private:
  bool intel() const { return syntax_ == Syntax::kIntel; }

  [[noreturn]] void fail(std::size_t offset, std::string_view message) const {
    throw_source_error(text_, offset, message);
  }

  void check_character(std::size_t i) const {
    const char c = source_[i];
    if (c == '\n' || is_space(c)) return;
    if (c < ' ' || c > '~') fail(i, "only printable ASCII characters are assembled");
    if (c == '"' || c == '\'' || c == '`') fail(i, "strings and characters are not assembled");
    if (c == '\\') fail(i, "'\\' has no meaning here");
    if (c == '=') fail(i, "symbols cannot be assigned to");
    if (c == '<' || c == '>') fail(i, "shifts and comparisons in expressions are not assembled");
    if (c == '/') fail(i, "division and /-comments are not assembled; '#' starts a comment");
    if (c == '%' && intel()) {
      fail(i, "'%' belongs to AT&T syntax: write registers without it, or choose AT&T syntax");
    }
  }

  void take_statement(std::size_t begin, std::size_t end) {
    if (end - begin > kLongestStatement) {
      fail(begin, fmt::format("a statement of more than {} characters", kLongestStatement));
    }
    const std::size_t body = after_labels(begin, end);
    if (body < end && source_[body] == '.') check_directive(body, end);
    check_brackets(body, end);
    if (intel()) check_operators(body, end);
    copy(begin, body);
    if (intel()) label_statement(body, end);
    for (std::size_t i = body; i < end;) i = take_word(body, i, end);
  }

  std::size_t skip_spaces(std::size_t begin, std::size_t end) const {
    while (begin < end && is_space(source_[begin])) ++begin;
    return begin;
  }

  std::size_t end_of_name(std::size_t begin, std::size_t end) const {
    while (begin < end && is_name_character(source_[begin])) ++begin;
    return begin;
  }

  std::string_view slice(std::size_t begin, std::size_t end) const {
    return std::string_view(source_).substr(begin, end - begin);
  }

  /// The offset behind the labels that a statement begins with.
  std::size_t after_labels(std::size_t begin, std::size_t end) const {
    for (;;) {
      begin = skip_spaces(begin, end);
      const std::size_t name_end = end_of_name(begin, end);
      const std::size_t colon = skip_spaces(name_end, end);
      if (name_end == begin || colon == end || source_[colon] != ':') return begin;
      begin = colon + 1;
    }
  }

  void check_directive(std::size_t begin, std::size_t end) const {
    const std::string_view name = slice(begin, end_of_name(begin, end));
    if (name == ".byte") return;
    fail(begin,
         fmt::format("the directive {} is not assembled: only instructions and .byte are", name));
  }

  void check_brackets(std::size_t begin, std::size_t end) const {
    std::string open;
    for (std::size_t i = begin; i < end; ++i) {
      const char c = source_[i];
      if (c == '(' && intel()) check_intel_parenthesis(begin, i);
      if (c == '[' || c == '(' || c == '{') open += c;
      if (c == ']' || c == ')' || c == '}') {
        const char opening = c == ']' ? '[' : c == ')' ? '(' : '{';
        if (open.empty() || open.back() != opening) fail(i, fmt::format("'{}' closes nothing", c));
        open.pop_back();
      }
    }
    if (!open.empty()) fail(end, fmt::format("'{}' is not closed", open.back()));
  }

  /// Accepts parentheses in st(i) only: LLVM silently assembles `mov rax, (rbx)` as `mov rax, 0`.
  void check_intel_parenthesis(std::size_t begin, std::size_t i) const {
    if (i >= begin + 2 && lower(slice(i - 2, i)) == "st") return;
    fail(i, "in Intel syntax parentheses belong to st(i) alone; memory is written in brackets");
  }

  /// Copies the word or the single character at `i`, in LLVM's spelling where that differs. Returns
  /// the offset behind it.
  std::size_t take_word(std::size_t body, std::size_t i, std::size_t end) {
    const std::size_t word_end = std::max(end_of_name(i, end), i + 1);
    const std::string_view word = slice(i, word_end);
    check_number(body, i, word);
    if (intel() && is_h_number(word)) {
      write("0x", i);
      copy(i, word_end - 1);
    } else if (intel() && word == ".") {
      write(here(), i);
    } else {
      copy(i, word_end);
    }
    return word_end;
  }

  void check_number(std::size_t body, std::size_t i, std::string_view word) const {
    if (!is_digit(word[0]) || value_of(word) <= std::uint64_t{1} << 63) return;
    const std::size_t before = last_character(body, i);
    if (before < i && source_[before] == '-') fail(before, "the number is below -2^63");
  }

  /// The offset of the statement's mnemonic, which follows prefixes such as lock and {evex}.
  std::size_t mnemonic(std::size_t body, std::size_t end) const {
    for (std::size_t i = body;;) {
      i = skip_spaces(i, end);
      if (i < end && source_[i] == '{') {
        i = std::min(source_.find('}', i), end - 1) + 1;
        continue;
      }
      const std::size_t word_end = end_of_name(i, end);
      if (word_end == i || !std::ranges::count(kPrefixes, lower(slice(i, word_end)))) return i;
      i = word_end;
    }
  }

  void check_operators(std::size_t body, std::size_t end) const {
    const std::size_t operands = end_of_name(mnemonic(body, end), end);
    for (std::size_t i = operands; i < end;) {
      const std::size_t word_end = std::max(end_of_name(i, end), i + 1);
      const std::string word = lower(slice(i, word_end));
      if (std::ranges::count(kOperators, word)) {
        fail(i, fmt::format("the operator {} is not assembled; +, - and * are", word));
      }
      i = word_end;
    }
  }

  /// The offset of the last character before `i` that is not a space; `i` itself if there is none.
  std::size_t last_character(std::size_t body, std::size_t i) const {
    for (std::size_t before = i; before > body; --before) {
      if (!is_space(source_[before - 1])) return before - 1;
    }
    return i;
  }

  std::string here() const { return fmt::format("{}{}", kHereLabel, labels_); }

  /// Puts a label before a statement that uses ".": take_word() writes the label's name for each
  /// ".".
  void label_statement(std::size_t body, std::size_t end) {
    for (std::size_t i = body; i < end;) {
      const std::size_t word_end = std::max(end_of_name(i, end), i + 1);
      if (slice(i, word_end) == ".") {
        ++labels_;
        write(here() + ": ", body);
        return;
      }
      i = word_end;
    }
  }

  void write(std::string_view written, std::size_t origin) {
    result_.text += written;
    result_.origins.insert(result_.origins.end(), written.size(), origin);
  }

  void copy(std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin) write(slice(begin, begin + 1), begin);
  }

  std::string_view text_;
  std::string source_;
  Syntax syntax_;
  AssemblySource result_;
  int labels_ = 0;
};

/// The line with control characters (tabs too) as spaces, so that the mark stands under its
/// character.
std::string printable(std::string_view line) {
  std::string shown(line);
  std::ranges::replace_if(
      shown, [](char c) { return c < ' ' || c > '~'; }, ' ');
  return shown;
}

}  // namespace

std::size_t AssemblySource::origin(std::size_t offset) const {
  if (offset < origins.size()) return origins[offset];
  return origins.empty() ? 0 : origins.back() + 1;
}

AssemblySource checked_source(std::string_view text, Syntax syntax) {
  if (text.size() > kLongestSource) {
    throw InputError(fmt::format("the text has {} characters; at most {} are assembled",
                                 text.size(), kLongestSource));
  }
  return Preparation(text, syntax).run();
}

void throw_source_error(std::string_view text, std::size_t offset, std::string_view message) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  const std::size_t column = offset - line_begin;

  // Of a long line, the part that begins half a window before the column is shown.
  const std::size_t cut = column > kShownCharacters / 2 ? column - kShownCharacters / 2 : 0;
  std::string_view shown = text.substr(line_begin + cut, kShownCharacters);
  shown = shown.substr(0, shown.find('\n'));
  throw AssemblyError(fmt::format("{}:{}: {}\n  {}\n  {:>{}}", line, column + 1, message,
                                  printable(shown), '^', column - cut + 1),
                      static_cast<std::size_t>(line), column + 1, std::string(message));
}

}  // namespace assay

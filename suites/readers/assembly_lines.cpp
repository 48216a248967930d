#include "suites/readers/assembly_lines.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "profiler/block/assembly_source.h"
#include "profiler/support/blanks.h"
#include "suites/readers/field.h"

namespace assay {
namespace {

/// How much of the assembler's message is kept: it may quote all of a long statement.
constexpr std::size_t kLongestProblem = 200;

/// The text's line with this number, counted from 1.
std::string_view line_of(std::string_view text, std::size_t number) {
  for (; number > 1; --number) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.substr(0, text.find('\n'));
}

/// Assembles the text of a block that begins in line `first_line` of the file; it is not empty.
CorpusItem assembled(const std::string& text, std::int64_t first_line, Syntax syntax) {
  CorpusEntry entry;
  entry.line = first_line;
  try {
    entry.bytes = assemble(text, syntax);
    return entry;
  } catch (const AssemblyError& error) {
    return bad_line(first_line + static_cast<std::int64_t>(error.line()) - 1,
                    line_of(text, error.line()),
                    {error.column(), error.problem().substr(0, kLongestProblem)});
  } catch (const InputError& error) {
    return bad_line(first_line, line_of(text, 1), {1, error.what()});
  }
}

class AssemblyBlocks : public LineParser {
 public:
  explicit AssemblyBlocks(Syntax syntax) : syntax_(syntax) {}

  std::optional<CorpusItem> take(const Line& line) override {
    const std::string_view text = trimmed(line.text);
    if ((text.empty() && !line.too_long) || text == ";") return end();
    if (text_.empty()) {
      if (!holds_block(line)) return std::nullopt;
      first_line_ = line.number;
    }
    if (line.too_long && !too_long_) too_long_ = too_long(line);
    // The assembler refuses a text longer than kLongestSource by itself: there is no need to keep
    // more of it than shows that.
    if (text_.size() <= kLongestSource) text_.append(line.text) += '\n';
    return std::nullopt;
  }

  std::optional<CorpusItem> end() override {
    const std::string text = std::exchange(text_, {});
    if (const auto bad = std::exchange(too_long_, {})) return *bad;
    if (text.empty()) return std::nullopt;
    return assembled(text, first_line_, syntax_);
  }

 private:
  Syntax syntax_;
  std::string text_;  ///< text of the block being read; empty between blocks
  std::int64_t first_line_ = 0;
  std::optional<BadLine> too_long_;  ///< the block's first line that is too long
};

class AssemblyLines : public LineParser {
 public:
  explicit AssemblyLines(Syntax syntax) : syntax_(syntax) {}

  std::optional<CorpusItem> take(const Line& line) override {
    if (!holds_block(line)) return std::nullopt;
    if (line.too_long) return too_long(line);
    return assembled(std::string(line.text), line.number, syntax_);
  }

 private:
  Syntax syntax_;
};

}  // namespace

std::unique_ptr<LineParser> assembly_blocks(Syntax syntax) {
  return std::make_unique<AssemblyBlocks>(syntax);
}

std::unique_ptr<LineParser> assembly_lines(Syntax syntax) {
  return std::make_unique<AssemblyLines>(syntax);
}

}  // namespace assay

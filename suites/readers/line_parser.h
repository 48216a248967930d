#pragma once

#include <memory>
#include <optional>
#include <string>

#include "suites/readers/corpus_entry.h"
#include "suites/readers/corpus_format.h"
#include "suites/readers/line_reader.h"

namespace assay {

/// Turns the lines of a corpus, which it is given one after the other, into items.
class LineParser {
 public:
  virtual ~LineParser() = default;
  /// The item that this line holds, or completes; nothing if it does neither. Throws InputError if
  /// the corpus cannot be read at all.
  virtual std::optional<CorpusItem> take(const Line& line) = 0;
  /// The item that was not complete before the corpus's end; nothing if there is none.
  virtual std::optional<CorpusItem> end() { return std::nullopt; }
};

/// The parser for a format of text: any but kRaw and kStore. `file` is for messages.
std::unique_ptr<LineParser> line_parser(CorpusFormat format, const std::string& file);

/// Whether the line holds anything but blanks or a comment.
bool holds_block(const Line& line);
/// The item for a line that is longer than kLongestLine.
BadLine too_long(const Line& line);

}  // namespace assay

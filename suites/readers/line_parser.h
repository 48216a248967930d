#pragma once

#include <memory>
#include <optional>
#include <string>

#include "suites/readers/corpus_entry.h"
#include "suites/readers/corpus_format.h"
#include "suites/readers/line_reader.h"

namespace assay {

/// Makes the items of a corpus of its lines, which it is given one after the other.
class LineParser {
 public:
  virtual ~LineParser() = default;
  /// The item that the line gives, or that it completes; nothing if there is none yet. Throws
  /// InputError if the corpus cannot be read at all.
  virtual std::optional<CorpusItem> take(const Line& line) = 0;
  /// The item that is left at the corpus's end.
  virtual std::optional<CorpusItem> end() { return std::nullopt; }
};

/// For a format of text: any but kRaw and kStore. `file` is for messages.
std::unique_ptr<LineParser> line_parser(CorpusFormat format, const std::string& file);

/// Whether there is more in the line than blanks and a comment.
bool holds_block(const Line& line);
/// The item of a line that is too long.
BadLine too_long(const Line& line);

}  // namespace assay

#pragma once

#include <memory>
#include <optional>

#include "suites/readers/corpus_source.h"
#include "suites/readers/line_parser.h"
#include "suites/readers/line_reader.h"

namespace assay {

/// Reads a corpus of text, in any format but kRaw and kStore. Memory grows with neither the corpus
/// nor its lines.
class TextSource : public CorpusSource {
 public:
  /// Without a format, the first line that is neither empty nor a comment decides it: see
  /// CorpusReader::open.
  TextSource(LineReader lines, std::optional<CorpusFormat> format);

  std::optional<CorpusItem> next() override;
  Readiness prepare() override;
  bool at_end() const override { return at_end_ && !item_; }
  std::optional<CorpusFormat> format() const override { return format_; }

 private:
  /// Reads a line, and keeps the item that it gives.
  void take_line();
  std::optional<CorpusItem> item_of(const Line& line);
  void begin(CorpusFormat format);

  LineReader lines_;
  std::optional<CorpusFormat> format_;
  std::unique_ptr<LineParser> parser_;  ///< null until the format is known
  std::optional<CorpusItem> item_;      ///< the next item, if it has been read already
  bool at_end_ = false;
};

}  // namespace assay

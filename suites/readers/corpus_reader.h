#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "suites/readers/corpus_entry.h"
#include "suites/readers/corpus_format.h"
#include "suites/readers/line_reader.h"

namespace assay {

/// By which the store knows a corpus: the file's name without its folder and extension; "stdin" for
/// standard input ("-").
std::string corpus_name(const std::string& path);

/// Reads a corpus, a text file with one block a line, entry by entry: memory does not grow with
/// the corpus or with its lines. Empty lines and those whose first character other than a blank is
/// '#' are passed over; CRLF line ends, blanks around a column, a UTF-8 byte order mark and a last
/// line without an end are tolerated. Any other line gives one item: an entry or a bad line.
class CorpusReader {
 public:
  /// Opens a file ("-": standard input). Without a format, a corpus whose first block line has one
  /// column is `hex`; one with more columns is refused when that line is read, because nothing in
  /// it tells a frequency from a throughput. Throws InputError if the file cannot be opened.
  static CorpusReader open(const std::string& path, std::optional<CorpusFormat> format);

  /// The next item in the file's order; nothing at its end. Throws InputError if the file is no
  /// text (gzip, ELF, ...) or its format cannot be told, if reading fails half-way, or if the
  /// corpus seems to be of another format: its first kBadStart block lines were all bad.
  std::optional<CorpusItem> next();

  /// Reads on towards the next item without waiting, and not for long: whether next() would have to
  /// wait, or to read for long. Throws as it does.
  Reading prepare();

  /// Whether next() has given nothing, or prepare() has seen that it would.
  bool at_end() const { return at_end_ && !line_; }

  /// See corpus_name().
  const std::string& name() const { return name_; }
  /// Once the first block has come.
  CorpusFormat format() const { return format_.value_or(CorpusFormat::kHex); }

  static constexpr std::int64_t kBadStart = 100;

 private:
  CorpusReader(LineReader lines, std::string name, std::optional<CorpusFormat> format);
  /// Reads a line, and keeps it if it is neither empty nor a comment, without a byte order mark.
  void take_line();
  /// Throws once only bad lines have come for too long.
  void check_start(const CorpusItem& item);

  LineReader lines_;
  std::string name_;
  std::optional<CorpusFormat> format_;  ///< nothing: the first block line is to tell
  std::optional<Line> line_;            ///< the next block line, where it has been read
  bool at_end_ = false;
  bool good_start_ = false;     ///< an entry has come
  std::int64_t bad_lines_ = 0;  ///< before the first entry
  std::optional<BadLine> first_bad_;
};

}  // namespace assay

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "suites/readers/corpus_entry.h"
#include "suites/readers/corpus_format.h"
#include "suites/readers/line_reader.h"

namespace assay {

/// Reads a corpus, a text file with one block a line, entry by entry: memory does not grow with
/// the corpus or with its lines. Empty lines and those whose first character other than a blank is
/// '#' are passed over; CRLF line ends, blanks around a column, a UTF-8 byte order mark and a last
/// line without an end are tolerated. Any other line gives one item: an entry or a bad line.
class CorpusReader {
 public:
  /// Opens a file ("-": standard input) and reads as far as its first block. Without a format, a
  /// corpus whose first block line has one column is `hex`; one with more columns is refused,
  /// because nothing in it tells a frequency from a throughput. Throws InputError for that, for a
  /// file that cannot be read, and for one that is no text (gzip, ELF, ...).
  static CorpusReader open(const std::string& path, std::optional<CorpusFormat> format);

  /// The next item in the file's order; nothing at its end. Throws InputError if reading fails
  /// half-way, or if the corpus seems to be of another format: its first kBadStart block lines
  /// were all bad.
  std::optional<CorpusItem> next();

  /// Whether next() would have to wait for somebody to write to a pipe or a terminal: then not even
  /// the beginning of a line is there.
  bool would_wait() const { return !first_ && lines_.would_wait(); }

  /// The corpus's name: the file's without its folder and extension; "stdin" for standard input.
  const std::string& name() const { return name_; }
  CorpusFormat format() const { return format_; }

  static constexpr std::int64_t kBadStart = 100;

 private:
  CorpusReader(LineReader lines, std::string name);
  /// The next line that is neither empty nor a comment, without a byte order mark.
  std::optional<Line> next_block_line();
  /// Throws once only bad lines have come for too long.
  void check_start(const CorpusItem& item);

  LineReader lines_;
  std::string name_;
  CorpusFormat format_ = CorpusFormat::kHex;
  std::optional<Line> first_;   ///< the first block line until next() gives it
  bool good_start_ = false;     ///< an entry has come
  std::int64_t bad_lines_ = 0;  ///< before the first entry
  std::optional<BadLine> first_bad_;
};

}  // namespace assay

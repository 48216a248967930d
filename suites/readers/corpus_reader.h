#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "suites/readers/corpus_entry.h"
#include "suites/readers/corpus_format.h"
#include "suites/readers/corpus_source.h"

namespace assay {

/// The name by which a store knows a corpus: the file's name without its folder, without .gz or
/// .zst, and without its extension, as UTF-8; "stdin" for standard input ("-").
std::string corpus_name(const std::string& path);

/// Reads a corpus entry by entry: memory does not grow with it. In a text, empty lines and those
/// whose first character other than a blank is '#' are passed over (but empty lines end blocks of
/// kAsm and kAtt); CRLF line ends, blanks around values, a UTF-8 byte order mark and a last line
/// without an end are tolerated. Anything else gives one item: an entry or a bad line.
class CorpusReader {
 public:
  /// Opens a file ("-": standard input), compressed or not (see InputStream). Without a format, the
  /// first block line decides it (see evident_format()); if that line is ambiguous, reading it
  /// throws. Throws InputError if the file cannot be opened, and for a store:
  /// harness/campaign/store_corpus.h opens those.
  static CorpusReader open(const std::string& path, std::optional<CorpusFormat> format);

  /// `name`: see corpus_name(); `file`: what messages call the corpus.
  CorpusReader(std::unique_ptr<CorpusSource> source, std::string name, std::string file);

  /// The next item in the file's order; nothing at its end. Throws InputError if the file is no
  /// corpus (but ELF, ...) or its format cannot be told, if reading or decompressing fails
  /// half-way, or if the corpus seems to be of another format because its first kBadStart block
  /// lines are all bad. Throws EnvironmentError for assembly text if this build has no assembler.
  std::optional<CorpusItem> next();

  /// Reads on towards the next item, without waiting and not for long. The result says whether
  /// next() would have to wait, or to read for long. Throws as next() does.
  Readiness prepare() { return source_->prepare(); }

  /// Whether the corpus has ended: next() has given nothing, or prepare() has seen that it would.
  bool at_end() const { return source_->at_end(); }

  /// The corpus's name, see corpus_name().
  const std::string& name() const { return name_; }
  /// The corpus's format. Where the first block decides it, it is known only once that has come.
  CorpusFormat format() const { return source_->format().value_or(CorpusFormat::kHex); }

  static constexpr std::int64_t kBadStart = 100;

 private:
  /// Throws if this is the kBadStart-th bad line and no entry has come yet.
  void check_start(const CorpusItem& item);

  std::unique_ptr<CorpusSource> source_;
  std::string name_;
  std::string file_;
  bool good_start_ = false;     ///< an entry has come
  std::int64_t bad_lines_ = 0;  ///< before the first entry
  std::optional<BadLine> first_bad_;
};

}  // namespace assay

#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "suites/readers/corpus_entry.h"
#include "suites/readers/corpus_format.h"

namespace assay {

/// What a corpus says of itself.
struct CorpusAbout {
  std::string program;      ///< version of the assay that wrote it, "0.1.0"
  std::string description;  ///< a sentence about its blocks; may be empty
  /// How it was made, so that it can be made again, in this order: {"seed", "7"}. Names are words,
  /// none of them twice, and none of "format", "version", "program", "description".
  std::vector<std::pair<std::string, std::string>> facts;
};

/// The formats that corpora are written in: corpus_header() and corpus_line() take no others.
inline constexpr std::array kWrittenFormats = {CorpusFormat::kJsonLines, CorpusFormat::kHex,
                                               CorpusFormat::kBhiveFrequency};

/// The lines that a corpus starts with: the object with "format" in JSON lines, comments in the
/// other formats. Throws InputError for a format that no corpus is written in.
std::string corpus_header(CorpusFormat format, const CorpusAbout& about);

/// The line of one entry, with its line feed. JSON lines hold all that is known of the block except
/// `reference_cycles` and `line`; empty fields are left out. Numbers are the shortest decimals that
/// read back as the same double. A block without a frequency gets the frequency 1 in
/// kBhiveFrequency. Bytes of a text that are not UTF-8 become U+FFFD. Throws InputError for a
/// format that no corpus is written in.
std::string corpus_line(CorpusFormat format, const CorpusEntry& entry);

}  // namespace assay

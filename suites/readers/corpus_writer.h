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
  std::string description;  ///< of its blocks, a sentence; may be empty
  /// How it was made, so that it can be made again, in this order: {"seed", "7"}. Names are words,
  /// none of them twice, and none of "format", "version", "program", "description".
  std::vector<std::pair<std::string, std::string>> facts;
};

/// The formats that corpora are written in: what the functions below take.
inline constexpr std::array kWrittenFormats = {CorpusFormat::kJsonLines, CorpusFormat::kHex,
                                               CorpusFormat::kBhiveFrequency};

/// What a corpus starts with, whole lines: of JSON lines the object with "format", of others
/// comments. Throws InputError for a format that no corpus is written in.
std::string corpus_header(CorpusFormat format, const CorpusAbout& about);

/// The line of one entry, with its line feed. JSON lines hold all that is known of the block, but
/// for `reference_cycles` and `line`; what is empty is left out. Numbers are the shortest decimals
/// that read back as the same double. A block without a frequency counts once in
/// kBhiveFrequency. What is no UTF-8 in a text becomes U+FFFD. Throws InputError for a format that
/// no corpus is written in.
std::string corpus_line(CorpusFormat format, const CorpusEntry& entry);

}  // namespace assay

#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "profiler/support/named.h"

namespace assay {

/// How the first line of a corpus that assay writes names its format (docs/formats.md).
inline constexpr std::string_view kCorpusFormatName = "assay-corpus";
inline constexpr std::string_view kCorpusFormatVersion = "1";

/// The format of a corpus. Several formats look the same, so the user has to name the format unless
/// the file leaves no doubt: neither the meaning of a number nor the syntax of a text is ever
/// guessed.
enum class CorpusFormat {
  kHex,              ///< HEX: the hexadecimal digits of one block's bytes
  kBhiveFrequency,   ///< HEX,NUMBER: a block and how often it was seen (a relative frequency)
  kBhiveThroughput,  ///< HEX,CYCLES: a block and another tool's cycles per 100 iterations
  kBhiveCategory,    ///< HEX,CATEGORY: a block and what kind of work it does, taken as its name
  kCsv,              ///< comma-separated values with a first line that names the columns
  kJsonLines,        ///< one JSON object a line, with a block as "hex" and what is known of it
  kAsm,      ///< Intel syntax, many lines a block; blocks end at an empty line or a lone ';'
  kAtt,      ///< AT&T syntax, many lines a block; blocks end at an empty line or a lone ';'
  kAsmLine,  ///< Intel syntax, one block a line, ';' between its instructions
  kAttLine,  ///< AT&T syntax, one block a line, ';' between its instructions
  kRaw,      ///< the file is the machine code of one block
  kStore,    ///< a store of results (docs/formats.md): the blocks in it
};

/// The format's name as the option --corpus-format takes it: "hex", "bhive-frequency",
/// "bhive-throughput", "bhive-category", "csv", "jsonl", "asm", "att", "asm-line", "att-line",
/// "raw", "store".
std::string_view name(CorpusFormat format);
template <>
std::optional<CorpusFormat> named<CorpusFormat>(std::string_view name);
/// The names of all formats, in the order of the enumeration, for help texts.
std::span<const std::string_view> corpus_format_names();
/// How many comma-separated columns a line of the format has: 2 for BHive's, 1 for hex.
int columns(CorpusFormat format);
/// What a line of the format looks like, for messages: "HEX" or "HEX,CYCLES".
std::string_view shape(CorpusFormat format);

}  // namespace assay

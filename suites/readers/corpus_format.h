#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace assay {

/// What the lines of a corpus hold. Two formats look the same, so a reader is told which one it
/// reads: the meaning of a number is never guessed.
enum class CorpusFormat {
  kHex,              ///< HEX: the hexadecimal digits of one block's bytes
  kBhiveFrequency,   ///< HEX,NUMBER: a block and how often it was seen (a relative frequency)
  kBhiveThroughput,  ///< HEX,CYCLES: a block and another tool's cycles per 100 iterations
};

/// "hex", "bhive-frequency", "bhive-throughput": the values of the option --corpus-format.
std::string_view name(CorpusFormat format);
/// The format of that name; nothing if there is none.
std::optional<CorpusFormat> corpus_format_named(std::string_view name);
/// All names, in the order of the enumeration, for help texts.
std::span<const std::string_view> corpus_format_names();
/// How many comma-separated columns a line of the format has: 1 or 2.
int columns(CorpusFormat format);
/// A line's shape for messages, "HEX" or "HEX,CYCLES".
std::string_view shape(CorpusFormat format);

}  // namespace assay

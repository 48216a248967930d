#include "suites/readers/corpus_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "profiler/block/error.h"

namespace assay {
namespace {

constexpr int kVersion = 1;

std::string quoted(std::string_view text) {
  using nlohmann::json;
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

[[noreturn]] void refuse(CorpusFormat format) {
  throw InputError(fmt::format("no corpus is written as {}: choose jsonl, hex or bhive-frequency",
                               name(format)));
}

/// A comment ends with its line.
std::string on_one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

std::string json_header(const CorpusAbout& about) {
  std::string line = fmt::format(R"({{"format":"assay-corpus","version":{},"program":{})", kVersion,
                                 quoted(about.program));
  if (!about.description.empty()) line += ",\"description\":" + quoted(about.description);
  for (const auto& [key, value] : about.facts) line += "," + quoted(key) + ":" + quoted(value);
  return line + "}\n";
}

std::string comments(const CorpusAbout& about) {
  std::string lines = on_one_line("# corpus written by assay " + about.program);
  if (!about.description.empty()) lines += on_one_line(": " + about.description);
  lines += '\n';
  for (const auto& [key, value] : about.facts)
    lines += on_one_line("# " + key + ": " + value) + '\n';
  return lines;
}

std::string json_line(const CorpusEntry& entry) {
  std::string line = fmt::format(R"({{"hex":"{}")", hex_from_bytes(entry.bytes));
  if (!entry.name.empty()) line += ",\"name\":" + quoted(entry.name);
  if (!entry.origin.empty()) line += ",\"source\":" + quoted(entry.origin);
  if (entry.frequency) line += fmt::format(",\"weight\":{}", *entry.frequency);
  if (!entry.state.empty()) line += ",\"state\":" + quoted(entry.state);
  return line + "}\n";
}

}  // namespace

std::string corpus_header(CorpusFormat format, const CorpusAbout& about) {
  if (std::ranges::find(kWrittenFormats, format) == kWrittenFormats.end()) refuse(format);
  return format == CorpusFormat::kJsonLines ? json_header(about) : comments(about);
}

std::string corpus_line(CorpusFormat format, const CorpusEntry& entry) {
  switch (format) {
    case CorpusFormat::kJsonLines:
      return json_line(entry);
    case CorpusFormat::kHex:
      return hex_from_bytes(entry.bytes) + "\n";
    case CorpusFormat::kBhiveFrequency:
      return fmt::format("{},{}\n", hex_from_bytes(entry.bytes), entry.frequency.value_or(1));
    default:
      refuse(format);
  }
}

}  // namespace assay

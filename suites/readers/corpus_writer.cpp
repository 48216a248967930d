#include "suites/readers/corpus_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "profiler/support/error.h"
#include "suites/readers/corpus_format.h"

namespace assay {
namespace {

std::string json_text(std::string_view text) {
  using nlohmann::json;
  return json(text).dump(-1, ' ', true, json::error_handler_t::replace);
}

void append_member(std::string& line, std::string_view key, std::string_view value) {
  fmt::format_to(std::back_inserter(line), ",{}:{}", json_text(key), json_text(value));
}

[[noreturn]] void refuse(CorpusFormat format) {
  throw InputError(fmt::format("no corpus is written as {}: choose jsonl, hex or bhive-frequency",
                               name(format)));
}

/// The text in a form that fits into a comment of one line and that no terminal takes for commands:
/// control characters become JSON escapes (\u001b), and bytes that are not UTF-8 become U+FFFD.
std::string on_one_line(std::string_view text) {
  const std::string quoted = json_text(text);
  return quoted.substr(1, quoted.size() - 2);
}

std::string json_header(const CorpusAbout& about) {
  std::string line = fmt::format(R"({{"format":"{}","version":{},"program":{})", kCorpusFormatName,
                                 kCorpusFormatVersion, json_text(about.program));
  if (!about.description.empty()) append_member(line, "description", about.description);
  for (const auto& [key, value] : about.facts) append_member(line, key, value);
  return line + "}\n";
}

std::string comments(const CorpusAbout& about) {
  std::string lines = "# corpus written by assay " + on_one_line(about.program);
  if (!about.description.empty()) lines += ": " + on_one_line(about.description);
  lines += '\n';
  for (const auto& [key, value] : about.facts) {
    lines += fmt::format("# {}: {}\n", key, on_one_line(value));
  }
  return lines;
}

std::string json_line(const CorpusEntry& entry) {
  std::string line = fmt::format(R"({{"hex":"{}")", hex_from_bytes(entry.bytes));
  if (!entry.name.empty()) append_member(line, "name", entry.name);
  if (!entry.origin.empty()) append_member(line, "source", entry.origin);
  if (entry.frequency) fmt::format_to(std::back_inserter(line), ",\"weight\":{}", *entry.frequency);
  if (!entry.state.empty()) append_member(line, "state", entry.state);
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

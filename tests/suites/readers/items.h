#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/support/error.h"
#include "suites/readers/corpus_reader.h"
#include "tests/suites/readers/temporary_file.h"

namespace assay {

/// An item as text: "LINE:HEX" for an entry, followed by "@FREQUENCY", " NAME", " (ORIGIN)" and "
/// [STATE]" if it has them; "LINE! PROBLEM" for a bad line.
inline std::string shown(const CorpusItem& item) {
  if (const auto* const bad = std::get_if<BadLine>(&item)) {
    return fmt::format("{}! {}", bad->line, bad->problem);
  }
  const auto& entry = std::get<CorpusEntry>(item);
  std::string text = fmt::format("{}:{}", entry.line, hex_from_bytes(entry.bytes));
  if (entry.frequency) text += fmt::format("@{}", *entry.frequency);
  if (!entry.name.empty()) text += " " + entry.name;
  if (!entry.origin.empty()) text += " (" + entry.origin + ")";
  if (!entry.state.empty()) text += " [" + entry.state + "]";
  return text;
}

/// All items that are left of a corpus; if reading ends with an error, its message comes last.
inline std::vector<std::string> items_of(CorpusReader& reader) {
  std::vector<std::string> items;
  try {
    while (const auto item = reader.next()) items.push_back(shown(*item));
  } catch (const Error& error) {
    items.push_back(error.what());
  }
  return items;
}

/// All items of a corpus with this content; if reading ends with an error, its message comes last.
inline std::vector<std::string> items_of(std::string_view content,
                                         std::optional<CorpusFormat> format) {
  const TemporaryFile file(content);
  CorpusReader reader = CorpusReader::open(file.path(), format);
  return items_of(reader);
}

}  // namespace assay

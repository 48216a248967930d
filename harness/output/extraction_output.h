#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "suites/extract/extraction.h"

namespace assay {

/// What `assay extract` did, for output.
struct ExtractionReport {
  struct Program {
    std::string path;
    ExtractionCounts counts;
    std::vector<std::string> remarks;  ///< one sentence each
  };
  std::vector<Program> programs;
  std::size_t distinct = 0;  ///< distinct blocks of all programs together
  double seconds = 0;
};

/// Places that give no block, by reason: lines for a terminal (none without such places).
std::string to_text(const SkippedBlocks& skipped);
/// Places that give no block, by reason: the object `skipped` of docs/formats.md.
nlohmann::ordered_json to_json(const SkippedBlocks& skipped);

/// The report as lines for a terminal.
std::string to_text(const ExtractionReport& report);
/// The report as the object that docs/formats.md describes for `assay extract --json`.
nlohmann::ordered_json to_json(const ExtractionReport& report);

}  // namespace assay

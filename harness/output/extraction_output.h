#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "suites/extract/walk/extraction.h"

namespace assay {

/// What `assay extract` did, for output.
struct ExtractionReport {
  struct Program {
    std::string path;
    ExtractionCounts counts;
    std::vector<std::string> remarks;  ///< one sentence each
  };
  std::vector<Program> programs;
  std::size_t distinct = 0;  ///< distinct blocks of all programs together that were taken
  bool loops = false;        ///< of the blocks, only loops were taken
  double seconds = 0;
};

/// Places that give no block, by reason: lines for a terminal (none without such places).
std::string to_text(const SkippedBlocks& skipped);
/// Places that give no block, by reason: the object `skipped` of docs/formats.md.
nlohmann::ordered_json to_json(const SkippedBlocks& skipped);

/// How much was taken: "8 distinct blocks in 9 places"; or, of loops alone, "3 distinct loops in 4
/// of 9 places with a block".
std::string taken_text(std::size_t distinct, std::int64_t places,
                       std::optional<std::int64_t> loop_places);

/// The report as lines for a terminal.
std::string to_text(const ExtractionReport& report);
/// The report as the object that docs/formats.md describes for `assay extract --json`.
nlohmann::ordered_json to_json(const ExtractionReport& report);

}  // namespace assay

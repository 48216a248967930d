#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "suites/extract/extraction.h"

namespace assay {

/// What `assay extract` did, for people and programs.
struct ExtractionReport {
  struct Program {
    std::string path;
    ExtractionCounts counts;
    std::vector<std::string> remarks;  ///< one sentence each
  };
  std::vector<Program> programs;
  std::size_t distinct = 0;  ///< blocks of all of them
  double seconds = 0;
};

/// Places without a block by why: lines for a terminal, none if there are none, or an object.
std::string to_text(const SkippedBlocks& skipped);
nlohmann::ordered_json to_json(const SkippedBlocks& skipped);

/// Lines for a terminal.
std::string to_text(const ExtractionReport& report);
/// docs/formats.md, "What was extracted".
nlohmann::ordered_json to_json(const ExtractionReport& report);

}  // namespace assay

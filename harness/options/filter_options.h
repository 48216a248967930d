#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/options/corpus_options.h"
#include "suites/filter/filter_rules.h"

namespace assay {

/// What `assay suite filter` is asked for.
struct FilterRequest {
  SuiteInput input;
  FilterRules rules;
  std::optional<std::int64_t> limit;  ///< only so many distinct blocks, the first ones
  std::optional<std::size_t> sample;  ///< only so many distinct blocks, drawn
  std::uint64_t seed = 0;
  bool by_weight = false;
  std::string out;
  CorpusFormat format{};
  bool json = false;
  /// The options that chose the blocks, with their values, for the description of the new corpus.
  std::vector<std::pair<std::string, std::string>> told;
};

/// What the command line asks for. Prints the help, and gives nothing, if --help is among the
/// arguments. Throws UsageError.
std::optional<FilterRequest> filter_request(const std::vector<std::string>& arguments);

}  // namespace assay

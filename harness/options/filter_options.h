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
  std::optional<std::int64_t> limit;  ///< distinct blocks, the first ones
  std::optional<std::size_t> sample;  ///< distinct blocks, drawn
  std::uint64_t seed = 0;
  bool by_weight = false;
  std::string out;
  CorpusFormat format{};
  bool json = false;
  /// The options that chose the blocks, name and value, for the corpus's own description.
  std::vector<std::pair<std::string, std::string>> told;
};

/// Nothing when help was asked for, which has been printed then. Throws UsageError.
std::optional<FilterRequest> filter_request(const std::vector<std::string>& arguments);

}  // namespace assay

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/command_line.h"
#include "suites/readers/corpus_format.h"

namespace assay {

/// Adds --corpus-format.
void add_corpus_format_option(CommandLine& line);

/// The format that --corpus-format names; nothing without the option. Throws UsageError for a name
/// that no format has.
std::optional<CorpusFormat> corpus_format_option(const CommandLine::Values& values);

/// The corpora that a subcommand of `assay suite` reads.
struct SuiteInput {
  std::vector<std::string> corpora;    ///< paths; "-" is standard input
  std::optional<CorpusFormat> format;  ///< of all corpora; unset: see CorpusReader::open()
};

/// The corpora, from the words CORPUS... and --corpus-format. Throws UsageError.
SuiteInput suite_input(const CommandLine::Values& values);

}  // namespace assay

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/command_line.h"
#include "suites/readers/corpus_format.h"

namespace assay {

/// Adds --corpus-format.
void add_corpus_format_option(CommandLine& line);

/// The format that it names; nothing without the option. Throws UsageError for what is none.
std::optional<CorpusFormat> corpus_format_option(const CommandLine::Values& values);

/// The corpora that a subcommand of `assay suite` reads.
struct SuiteInput {
  std::vector<std::string> corpora;    ///< paths; "-" is standard input
  std::optional<CorpusFormat> format;  ///< of all of them; nothing: each is to tell
};

/// From the words CORPUS... and --corpus-format. Throws UsageError.
SuiteInput suite_input(const CommandLine::Values& values);

}  // namespace assay

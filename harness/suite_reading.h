#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/command_line.h"
#include "suites/readers/corpus_entry.h"
#include "suites/readers/corpus_format.h"

namespace assay {

/// The corpora that a subcommand of `assay suite` reads.
struct SuiteInput {
  std::vector<std::string> corpora;    ///< paths; "-" is standard input
  std::optional<CorpusFormat> format;  ///< of all of them; nothing: each is to tell
};

/// From the words CORPUS... and --corpus-format. Throws UsageError.
SuiteInput suite_input(const CommandLine::Values& values);

/// Where an entry comes from.
struct EntryPlace {
  std::uint16_t number = 0;   ///< of the corpus, from 0
  const std::string& corpus;  ///< its path
};

/// Gives all entries of the corpora to `take`, in their order, until it returns false. Bad lines
/// are told on stderr, where they are, after `command`. How many there were. Throws InputError for
/// a corpus that cannot be read (before the first entry where it cannot be opened), and OutputEnded
/// if a signal came.
std::int64_t read_suite(const SuiteInput& input, const std::string& command,
                        const std::function<bool(CorpusEntry&&, const EntryPlace&)>& take);

}  // namespace assay

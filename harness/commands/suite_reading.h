#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "harness/options/corpus_options.h"
#include "suites/readers/corpus_entry.h"

namespace assay {

/// The corpus that an entry comes from.
struct EntryCorpus {
  std::uint16_t number = 0;   ///< number of the corpus, from 0
  const std::string& corpus;  ///< path of the corpus
};

/// Calls `take` with all entries of the corpora, in their order, until it returns false. Reports
/// bad lines on stderr, with `command` before each, and returns their number. Throws InputError for
/// a corpus that cannot be read (before the first entry if it cannot be opened), and OutputEnded if
/// a signal came.
std::int64_t read_suite(const SuiteInput& input, const std::string& command,
                        const std::function<bool(CorpusEntry&&, const EntryCorpus&)>& take);

}  // namespace assay

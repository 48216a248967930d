#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "harness/options/corpus_options.h"
#include "suites/readers/corpus_entry.h"

namespace assay {

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

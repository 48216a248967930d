#pragma once

#include <string>

#include "suites/filter/block_facts.h"
#include "suites/readers/corpus_entry.h"

namespace assay {

/// A block for people: where it stands, what is known of it, its bytes, and its instructions in
/// Intel syntax, one on each line. No line has more than kListingWidth characters, except for an
/// instruction or a state that is longer; an empty line comes at the end.
std::string listing(const CorpusEntry& entry, const BlockFacts& facts, const std::string& corpus);

inline constexpr std::size_t kListingWidth = 80;

}  // namespace assay

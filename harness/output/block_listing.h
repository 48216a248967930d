#pragma once

#include <string>

#include "suites/filter/block_facts.h"
#include "suites/readers/corpus_entry.h"

namespace assay {

/// A block for people, in lines of at most kListingWidth characters but where an instruction or a
/// state is longer, an empty one at the end: where it stands, what is known of it, its bytes, and
/// its instructions in Intel syntax, one a line.
std::string listing(const CorpusEntry& entry, const BlockFacts& facts, const std::string& corpus);

inline constexpr std::size_t kListingWidth = 80;

}  // namespace assay

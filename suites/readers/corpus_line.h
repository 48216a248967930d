#pragma once

#include <cstdint>
#include <string_view>

#include "suites/readers/corpus_entry.h"
#include "suites/readers/corpus_format.h"

namespace assay {

/// Reads one line of comma-separated columns that holds a block: of the format hex or one of
/// BHive's. Blanks around each column are tolerated, and so are digits of either case. `number` is
/// the line's, to be kept in the item. Never throws on any text.
CorpusItem parse_corpus_line(std::string_view text, std::int64_t number, CorpusFormat format);

}  // namespace assay

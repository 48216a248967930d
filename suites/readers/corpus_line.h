#pragma once

#include <cstdint>
#include <string_view>

#include "suites/readers/corpus_entry.h"
#include "suites/readers/corpus_format.h"

namespace assay {

/// Parses a line that holds a block in comma-separated columns: of the format hex or one of
/// BHive's. Blanks around each column are tolerated, and so are digits of either case. `number` is
/// the line's number, which the item keeps. Never throws, whatever the text.
CorpusItem parse_corpus_line(std::string_view text, std::int64_t number, CorpusFormat format);

}  // namespace assay

#pragma once

#include <string>

#include "suites/readers/corpus_format.h"
#include "suites/readers/line_reader.h"

namespace assay {

/// The format of a corpus for which the user named none, by its first line that is neither empty
/// nor a comment: JSON lines begin with '{', comma-separated values name a column for the block,
/// and a single column that is not assembly text is hex. Throws InputError for anything else,
/// because nothing in such a line says what a number means, or where blocks of assembly text end.
/// `file` is for messages.
CorpusFormat evident_format(const Line& first, const std::string& file);

}  // namespace assay

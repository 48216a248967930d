#pragma once

#include <optional>
#include <string>

#include "suites/readers/corpus_reader.h"

namespace assay {

/// Opens whatever a command may be given as a corpus: a store of results, known by its first bytes
/// or named by the format, or what CorpusReader::open() opens. The blocks of a store come in the
/// order of their bytes, each once, whatever became of them; their lines count them. Throws as
/// CorpusReader::open() and Store::open_read_only() do.
CorpusReader open_corpus(const std::string& path, std::optional<CorpusFormat> format);

}  // namespace assay

#pragma once

#include <optional>
#include <string>

#include "suites/readers/corpus_reader.h"

namespace assay {

/// Opens anything that a command may be given as a corpus: a store of results, recognised by its
/// first bytes or by `format`, or what CorpusReader::open() opens. The blocks of a store come in
/// the order of their bytes, each once, whatever their outcomes; their line numbers count them.
/// Throws as CorpusReader::open() and Store::open_read_only() do.
CorpusReader open_corpus(const std::string& path, std::optional<CorpusFormat> format);

}  // namespace assay

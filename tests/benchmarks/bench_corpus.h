#pragma once

#include <string>

#include "suites/readers/corpus_reader.h"

namespace assay {

/// Opens a corpus that a benchmark is given: in the format hex if its name ends so, otherwise in
/// bhive-frequency.
inline CorpusReader open_bench_corpus(const std::string& path) {
  const bool hex = path.ends_with(".hex");
  return CorpusReader::open(path, hex ? CorpusFormat::kHex : CorpusFormat::kBhiveFrequency);
}

}  // namespace assay

#pragma once

#include <optional>

#include "suites/readers/corpus_entry.h"
#include "suites/readers/corpus_format.h"
#include "suites/readers/readiness.h"

namespace assay {

/// Gives the items of a corpus, one after the other, to a CorpusReader.
class CorpusSource {
 public:
  virtual ~CorpusSource() = default;

  /// The next item; nothing at the end. Throws Error if reading fails.
  virtual std::optional<CorpusItem> next() = 0;
  /// Reads on towards the next item, without waiting and not for long. The result says whether
  /// next() would have to wait, or to read for long. Throws as next() does.
  virtual Readiness prepare() = 0;
  /// Whether the corpus has ended: next() has given nothing, or prepare() has seen that it would.
  virtual bool at_end() const = 0;
  /// The corpus's format; nothing if the first block is to decide it and has not come yet.
  virtual std::optional<CorpusFormat> format() const = 0;
};

}  // namespace assay

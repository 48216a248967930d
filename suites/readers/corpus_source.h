#pragma once

#include <optional>

#include "suites/readers/corpus_entry.h"
#include "suites/readers/corpus_format.h"
#include "suites/readers/readiness.h"

namespace assay {

/// What a CorpusReader reads: gives the items of a corpus, one after the other.
class CorpusSource {
 public:
  virtual ~CorpusSource() = default;

  /// The next item; nothing at the end. Throws Error if reading fails.
  virtual std::optional<CorpusItem> next() = 0;
  /// Reads on towards the next item without waiting, and not for long: whether next() would have to
  /// wait, or to read for long. Throws as it does.
  virtual Readiness prepare() = 0;
  /// Whether next() has given nothing, or prepare() has seen that it would.
  virtual bool at_end() const = 0;
  /// Nothing where the first block is to tell, and has not come.
  virtual std::optional<CorpusFormat> format() const = 0;
};

}  // namespace assay

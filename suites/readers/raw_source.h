#pragma once

#include <optional>

#include "suites/readers/corpus_source.h"
#include "suites/readers/input_stream.h"

namespace assay {

/// A file that is the machine code of one block: one entry, of line 1, or none if it is empty. One
/// that holds more than kLargestBlock bytes is refused with an InputError.
class RawSource : public CorpusSource {
 public:
  explicit RawSource(InputStream stream) : stream_(std::move(stream)) {}

  std::optional<CorpusItem> next() override;
  Readiness prepare() override;
  bool at_end() const override { return given_ || (stream_.has_ended() && bytes_.empty()); }
  std::optional<CorpusFormat> format() const override { return CorpusFormat::kRaw; }

 private:
  void read_on();

  InputStream stream_;
  Bytes bytes_;  ///< so far
  bool given_ = false;
};

}  // namespace assay

#pragma once

#include <optional>

#include "suites/readers/corpus_source.h"
#include "suites/readers/input_stream.h"

namespace assay {

/// Reads a file that is the machine code of one block: gives one entry, with the line number 1, or
/// none if the file is empty. A file of more than kLargestBlock bytes is refused with an
/// InputError.
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
  Bytes bytes_;  ///< what has been read so far
  bool given_ = false;
};

}  // namespace assay

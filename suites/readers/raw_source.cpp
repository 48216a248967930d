#include "suites/readers/raw_source.h"

#include <fmt/format.h>

#include <array>

#include "profiler/block/block.h"
#include "profiler/support/error.h"

namespace assay {

std::optional<CorpusItem> RawSource::next() {
  while (!stream_.has_ended()) read_on();
  if (at_end()) return std::nullopt;
  given_ = true;
  CorpusEntry entry;
  entry.bytes = std::move(bytes_);
  entry.line = 1;
  return entry;
}

Readiness RawSource::prepare() {
  if (stream_.has_ended()) return Readiness::kReady;
  if (!stream_.has_something()) return Readiness::kWaits;
  read_on();
  return stream_.has_ended() ? Readiness::kReady : Readiness::kGoesOn;
}

void RawSource::read_on() {
  std::array<char, kLargestBlock + 1> buffer;
  const std::size_t count = stream_.read(buffer);
  bytes_.insert(bytes_.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(count));
  if (bytes_.size() > kLargestBlock) {
    throw InputError(fmt::format(
        "{} is too long for the machine code of one block: the limit is {} bytes. To make a "
        "corpus from a program, use assay extract",
        stream_.name(), kLargestBlock));
  }
}

}  // namespace assay

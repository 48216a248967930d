#include "suites/readers/line_reader.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

namespace assay {
namespace {

constexpr std::size_t kBufferSize = std::size_t{256} * 1024;
// fill() is called only while the unread part of a line is no longer than this, so there is room.
static_assert(kLongestLine < kBufferSize);

}  // namespace

LineReader::LineReader(InputStream stream) : stream_(std::move(stream)), buffer_(kBufferSize) {}

std::optional<Line> LineReader::next() {
  while (!is_ready()) fill();
  if (unread().empty()) return std::nullopt;
  const std::size_t length = std::min(unread().find('\n'), unread().size());
  last_length_ = std::min(length, kLongestLine);
  // The line stays in the buffer for the caller; the next call of is_ready() drops it.
  dropping_ = true;
  return Line{unread().substr(0, last_length_), ++lines_, length > kLongestLine};
}

Readiness LineReader::prepare() {
  if (is_ready()) return Readiness::kReady;
  if (!stream_.has_something()) return Readiness::kWaits;
  fill();
  return is_ready() ? Readiness::kReady : Readiness::kGoesOn;
}

bool LineReader::is_ready() {
  drop_last_line();
  if (stream_.has_ended()) return true;
  if (dropping_) return false;
  return unread().size() > kLongestLine || unread().find('\n') != std::string_view::npos;
}

void LineReader::drop_last_line() {
  if (!dropping_) return;
  begin_ += std::exchange(last_length_, 0);
  const std::size_t line_feed = unread().find('\n');
  dropping_ = line_feed == std::string_view::npos;
  begin_ = dropping_ ? end_ : begin_ + line_feed + 1;
}

void LineReader::fill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= std::exchange(begin_, 0);
  end_ += stream_.read(std::span(buffer_).subspan(end_));
}

}  // namespace assay

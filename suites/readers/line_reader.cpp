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

LineReader::LineReader(InputFile file) : file_(std::move(file)), buffer_(kBufferSize) {}

std::optional<Line> LineReader::next() {
  if (lines_ > 0) drop_last_line();
  const std::size_t length = line_length();
  if (length == 0 && unread().empty()) return std::nullopt;
  last_length_ = std::min(length, kLongestLine);
  return Line{unread().substr(0, last_length_), ++lines_, length > kLongestLine};
}

bool LineReader::would_wait() const {
  if (ended_) return false;
  std::string_view rest = unread().substr(last_length_);
  if (lines_ > 0) {  // the last line's end is still there, if it has come
    const std::size_t line_feed = rest.find('\n');
    rest = line_feed == std::string_view::npos ? "" : rest.substr(line_feed + 1);
  }
  return rest.empty() && !file_.has_something();
}

void LineReader::drop_last_line() {
  begin_ += std::exchange(last_length_, 0);
  for (;;) {
    const std::size_t line_feed = unread().find('\n');
    if (line_feed != std::string_view::npos) {
      begin_ += line_feed + 1;
      return;
    }
    begin_ = end_;
    if (!fill()) return;
  }
}

std::size_t LineReader::line_length() {
  for (;;) {
    const std::size_t line_feed = unread().find('\n');
    if (line_feed != std::string_view::npos) return line_feed;
    if (unread().size() > kLongestLine || !fill()) return unread().size();
  }
}

bool LineReader::fill() {
  if (ended_) return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= std::exchange(begin_, 0);
  const std::size_t count = file_.read(std::span(buffer_).subspan(end_));
  end_ += count;
  ended_ = count == 0;
  return !ended_;
}

}  // namespace assay

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/block/block.h"
#include "suites/readers/input_stream.h"
#include "suites/readers/readiness.h"

namespace assay {

/// The longest line that is read whole, in bytes: the largest block's hexadecimal digits and some
/// room for numbers, names and blanks.
inline constexpr std::size_t kLongestLine = 2 * kLargestBlock + 4096;

struct Line {
  std::string_view text;    ///< without the line feed; valid until the next line is asked for
  std::int64_t number = 0;  ///< counted from 1
  bool too_long = false;    ///< `text` is only the line's first kLongestLine bytes
};

/// Gives the lines of a file, decompressed if need be, one after the other. Its buffer never grows:
/// neither a long file nor a long line takes more memory than a short one.
class LineReader {
 public:
  explicit LineReader(InputStream stream);

  /// The next line; nothing at the file's end. The last line may lack its line feed. Waits for
  /// whoever writes to a pipe, and passes over the rest of a line that was too long, however long
  /// that takes; it does neither if prepare() has just said kReady. Throws InputError as
  /// InputStream does, once all whole lines before the error have been given.
  std::optional<Line> next();

  /// Reads on towards the next line without waiting, one buffer at most. The text of the line that
  /// was given last is no longer valid then. Throws InputError as next() does.
  Readiness prepare();

  /// The file's name for messages: its path, or "standard input".
  const std::string& name() const { return stream_.name(); }

 private:
  std::string_view unread() const { return {buffer_.data() + begin_, end_ - begin_}; }
  /// Reads more into the buffer behind the unread bytes, or finds the file's end.
  void fill();
  /// Whether the buffer holds a whole line or the beginning of one that is too long, or the file
  /// has ended.
  bool is_ready();
  /// Discards the line that next() gave last, and its line feed, as far as they have been read.
  void drop_last_line();

  InputStream stream_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< where the unread bytes begin in buffer_
  std::size_t end_ = 0;    ///< where they end
  bool dropping_ = false;  ///< the end of the line that was given last has yet to be passed over
  std::size_t last_length_ = 0;  ///< of the line that was given last, while it is in the buffer
  std::int64_t lines_ = 0;       ///< lines given so far
};

}  // namespace assay

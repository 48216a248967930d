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

/// The lines of a file, decompressed if need be, one after the other, in a buffer that never grows:
/// neither a long file nor a long line costs more memory than a short one.
class LineReader {
 public:
  explicit LineReader(InputStream stream);

  /// The next line; nothing at the file's end. The last line may lack its line feed. Waits for
  /// whoever writes to a pipe, and passes over what is left of a line that was too long, however
  /// long that takes: unless prepare() has said that it is ready. Throws InputError as InputStream
  /// does, once all whole lines before have been given.
  std::optional<Line> next();

  /// Reads on towards the next line without waiting, a buffer at most; the line that was given last
  /// is gone then. Throws InputError as next() does.
  Readiness prepare();

  /// For messages: the path, or "standard input".
  const std::string& name() const { return stream_.name(); }

 private:
  std::string_view unread() const { return {buffer_.data() + begin_, end_ - begin_}; }
  /// Reads more behind what is unread, or sees the file's end.
  void fill();
  /// Whether a line is there, or the beginning of one that is too long, or the file's end.
  bool is_ready();
  /// Gives up the line that next() gave last, and its line feed, as far as they have been read.
  void drop_last_line();

  InputStream stream_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< of what is unread, in buffer_
  std::size_t end_ = 0;
  bool dropping_ = false;  ///< the last line, of which the end is yet to be passed over
  std::size_t last_length_ = 0;
  std::int64_t lines_ = 0;  ///< given so far
};

}  // namespace assay

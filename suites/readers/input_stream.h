#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "suites/readers/decompressor.h"
#include "suites/readers/input_file.h"

namespace assay {

/// What a file holds, decompressed if its first bytes say that it is compressed with gzip or zstd:
/// its name says nothing. Memory grows with neither the file nor what it decompresses to. Every
/// error that it throws is an InputError: those of InputFile; and, behind all that came before, of
/// compressed data that are damaged or cut off, with the byte of the file where.
class InputStream {
 public:
  InputStream(InputFile file) : file_(std::move(file)) {}

  /// Gives what comes next, at most `target.size()` bytes, after one reading of the file at most,
  /// for which it waits. That may be nothing: only has_ended() says whether that was all.
  std::size_t read(std::span<char> target);
  /// Whether all has been given. A terminal would give more where its end was seen once.
  bool has_ended() const { return ended_; }
  /// Whether read() would not have to wait.
  bool has_something() const;

  /// For messages: the path, or "standard input".
  const std::string& name() const { return file_.name(); }

 private:
  /// Reads more of the file behind what is not consumed.
  void fill();
  void recognise();
  std::size_t give_plain(std::span<char> target);
  std::size_t decompress(std::span<char> target);
  std::size_t unconsumed() const { return end_ - begin_; }
  [[noreturn]] void throw_problem() const;

  InputFile file_;
  std::vector<char> buffer_;  ///< of the file's bytes
  std::size_t begin_ = 0;     ///< of what is not consumed
  std::size_t end_ = 0;
  std::int64_t consumed_ = 0;  ///< bytes of the file
  Compression compression_ = Compression::kNotKnownYet;
  std::unique_ptr<Decompressor> decompressor_;
  bool room_lacked_ = false;  ///< the last step may have left something to give without input
  std::string problem_;       ///< of the data behind what has been given
  bool file_ended_ = false;
  bool ended_ = false;
};

}  // namespace assay

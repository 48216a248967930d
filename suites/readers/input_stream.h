#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "suites/readers/decompressor.h"
#include "suites/readers/input_file.h"

namespace assay {

/// Reads a file, and decompresses it if its first bytes show that it is compressed with gzip or
/// zstd; its name does not matter. Memory grows with neither the file nor what it decompresses to.
/// Every error that it throws is an InputError: those of InputFile, and that compressed data are
/// damaged or cut off, with the position in the file, once everything before that position has been
/// given.
class InputStream {
 public:
  InputStream(InputFile file) : file_(std::move(file)) {}

  /// Gives the next bytes, at most `target.size()`, and returns their number. Reads the file at
  /// most once, and waits for that. May give nothing although more is to come: only has_ended()
  /// says whether that was all.
  std::size_t read(std::span<char> target);
  /// Whether everything has been given. The end is final: a terminal would give more after it.
  bool has_ended() const { return ended_; }
  /// Whether read() would return without waiting.
  bool has_something() const;

  /// The file's name for messages: its path, or "standard input".
  const std::string& name() const { return file_.name(); }

 private:
  /// Reads more of the file into the buffer, behind the bytes that are not consumed yet.
  void fill();
  void recognise();
  std::size_t give_plain(std::span<char> target);
  std::size_t decompress(std::span<char> target);
  std::size_t unconsumed() const { return end_ - begin_; }
  [[noreturn]] void throw_problem() const;

  InputFile file_;
  std::vector<char> buffer_;  ///< bytes of the file; from begin_ to end_ they are not consumed yet
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::int64_t consumed_ = 0;  ///< bytes of the file that have been decompressed
  Compression compression_ = Compression::kNotKnownYet;
  std::unique_ptr<Decompressor> decompressor_;
  bool room_lacked_ = false;  ///< the last step filled its target: it may give more without input
  std::string problem_;       ///< what is wrong with the data behind those that have been given
  bool file_ended_ = false;
  bool ended_ = false;
};

}  // namespace assay

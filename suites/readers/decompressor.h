#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace assay {

/// Decompresses data piece by piece. They may consist of several gzip members or zstd frames in a
/// row, as `cat` puts files together. Memory is bounded, whatever the data are.
class Decompressor {
 public:
  struct Step {
    std::size_t consumed = 0;  ///< bytes taken from the input
    std::size_t produced = 0;  ///< bytes written to the target
    std::string problem;       ///< if not empty: what is wrong behind the consumed bytes
  };

  virtual ~Decompressor() = default;

  /// Decompresses from the start of `input` as far as `target` has room. A step that consumes and
  /// produces nothing needs more input, or has a problem. Must not be called again after a problem.
  virtual Step step(std::string_view input, std::span<char> target) = 0;
  /// Whether the data are complete if they end behind the consumed bytes.
  virtual bool may_end() const = 0;
  /// The format's name: "gzip" or "zstd".
  virtual std::string_view name() const = 0;
};

/// A decompressor of gzip files of one or more members; zeros behind a member are passed over, as
/// gzip does.
std::unique_ptr<Decompressor> gzip_decompressor();
/// A decompressor of zstd frames, skippable ones included, with windows of at most
/// 2^kLargestZstdWindow bytes.
std::unique_ptr<Decompressor> zstd_decompressor();

/// The logarithm of the largest window: 128 MiB, which is what zstd itself allows unless told
/// otherwise. No compression level needs more.
inline constexpr int kLargestZstdWindow = 27;

/// How a file is compressed, as far as its first bytes show.
enum class Compression { kNotKnownYet, kNone, kGzip, kZstd };

/// How a file that starts with these bytes is compressed, by their magic numbers alone;
/// kNotKnownYet if that takes more bytes.
Compression compression_of(std::string_view start);

}  // namespace assay

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace assay {

/// Compressed data, decompressed piece by piece: members or frames one after the other, as `cat`
/// puts them together. Memory is bounded, whatever the data say.
class Decompressor {
 public:
  struct Step {
    std::size_t consumed = 0;  ///< bytes of the input
    std::size_t produced = 0;  ///< bytes of the target
    std::string problem;       ///< if not empty: what is wrong behind what was consumed
  };

  virtual ~Decompressor() = default;

  /// Decompresses the first of `input`, as far as there is room. Consumes and produces nothing only
  /// if it needs more input, or has a problem. Not to be called again after a problem.
  virtual Step step(std::string_view input, std::span<char> target) = 0;
  /// Whether the data may end behind what was consumed.
  virtual bool may_end() const = 0;
  /// "gzip" or "zstd".
  virtual std::string_view name() const = 0;
};

/// For multi-member gzip files; zeros behind a member are passed over, as gzip does.
std::unique_ptr<Decompressor> gzip_decompressor();
/// For zstd frames, skippable ones among them, of windows of at most 2^kLargestZstdWindow bytes.
std::unique_ptr<Decompressor> zstd_decompressor();

/// What zstd itself allows unless told otherwise: 128 MiB. All levels stay below it.
inline constexpr int kLargestZstdWindow = 27;

/// What the first bytes of a file say of it.
enum class Compression { kNotKnownYet, kNone, kGzip, kZstd };

/// By magic alone. kNotKnownYet: more bytes are needed.
Compression compression_of(std::string_view start);

}  // namespace assay

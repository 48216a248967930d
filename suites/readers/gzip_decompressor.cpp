#include <zlib.h>

#include <algorithm>

#include "profiler/support/error.h"
#include "suites/readers/decompressor.h"

namespace assay {
namespace {

/// zlib's flag, added to the window size, for a gzip header and no other.
constexpr int kGzipAlone = 16;

class GzipDecompressor : public Decompressor {
 public:
  GzipDecompressor() {
    if (inflateInit2(&stream_, MAX_WBITS | kGzipAlone) != Z_OK) {
      throw EnvironmentError("zlib cannot be used: no memory, or of another version");
    }
  }
  GzipDecompressor(const GzipDecompressor&) = delete;
  GzipDecompressor& operator=(const GzipDecompressor&) = delete;
  ~GzipDecompressor() override { inflateEnd(&stream_); }

  Step step(std::string_view input, std::span<char> target) override {
    if (may_end()) {
      if (const std::size_t zeros = std::min(input.find_first_not_of('\0'), input.size())) {
        return {zeros, 0, {}};
      }
    }
    // The cast is safe: zlib does not write to its input, though its C interface is not const
    // there.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    stream_.avail_in = static_cast<uInt>(input.size());
    stream_.next_out = reinterpret_cast<Bytef*>(target.data());
    stream_.avail_out = static_cast<uInt>(target.size());
    const int result = inflate(&stream_, Z_NO_FLUSH);
    Step step{input.size() - stream_.avail_in, target.size() - stream_.avail_out, {}};
    if (result == Z_STREAM_END) {
      // zlib stops at the end of a member; another one may follow.
      inflateReset(&stream_);
      between_members_ = true;
    } else {
      between_members_ = between_members_ && step.consumed == 0;
      // Z_BUF_ERROR is no error: there was nothing to do, for want of input or of room.
      if (result != Z_OK && result != Z_BUF_ERROR) step.problem = problem_of(result);
    }
    return step;
  }

  bool may_end() const override { return between_members_; }
  std::string_view name() const override { return "gzip"; }

 private:
  std::string problem_of(int result) const {
    return stream_.msg != nullptr ? stream_.msg : zError(result);
  }

  z_stream stream_{};
  bool between_members_ = false;
};

}  // namespace

std::unique_ptr<Decompressor> gzip_decompressor() { return std::make_unique<GzipDecompressor>(); }

}  // namespace assay

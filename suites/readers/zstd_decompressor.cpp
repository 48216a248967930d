#include <zstd.h>
#include <zstd_errors.h>

#include <fmt/format.h>

#include <algorithm>

#include "profiler/support/error.h"
#include "suites/readers/decompressor.h"

namespace assay {
namespace {

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

class ZstdDecompressor : public Decompressor {
 public:
  ZstdDecompressor() : context_(ZSTD_createDCtx()) {
    if (!context_ || ZSTD_isError(ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax,
                                                         kLargestZstdWindow))) {
      throw EnvironmentError("libzstd cannot be used: no memory");
    }
  }

  /// Takes one zstd block at a time: a call of libzstd that finds an error gives no output at all,
  /// not even that of the sound blocks before it.
  Step step(std::string_view input, std::span<char> target) override {
    ZSTD_inBuffer in{input.data(), std::min(input.size(), wanted_), 0};
    ZSTD_outBuffer out{target.data(), target.size(), 0};
    const std::size_t result = ZSTD_decompressStream(context_.get(), &out, &in);
    if (ZSTD_isError(result)) return {in.pos, out.pos, problem_of(result)};
    // The result is 0 at the end of a frame, else how many bytes libzstd wants next.
    if (in.pos + out.pos > 0) between_frames_ = result == 0;
    wanted_ = std::max(result, kShortestHeader);
    return {in.pos, out.pos, {}};
  }

  bool may_end() const override { return between_frames_; }
  std::string_view name() const override { return "zstd"; }

 private:
  static std::string problem_of(std::size_t result) {
    if (ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge) {
      return fmt::format("it needs a window of more than {} MiB; compress it again without --long",
                         (std::size_t{1} << kLargestZstdWindow) >> 20);
    }
    return ZSTD_getErrorName(result);
  }

  static constexpr std::size_t kShortestHeader = 5;  ///< magic and descriptor

  std::unique_ptr<ZSTD_DCtx, FreeContext> context_;
  std::size_t wanted_ = kShortestHeader;  ///< bytes of input that the next step takes at most
  bool between_frames_ = false;
};

}  // namespace

std::unique_ptr<Decompressor> zstd_decompressor() { return std::make_unique<ZstdDecompressor>(); }

}  // namespace assay

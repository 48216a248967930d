#include "tests/suites/readers/compressed.h"

#include <zlib.h>
#include <zstd.h>

#include <memory>
#include <stdexcept>

namespace assay {

std::string gzip_of(std::string_view text) {
  z_stream stream{};
  constexpr int kGzip = 16;
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS | kGzip, 8,
               Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) throw std::runtime_error("zlib did not compress");
  return out;
}

std::string zstd_of(std::string_view text) {
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(),
                                                                        ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size =
      ZSTD_compress2(context.get(), out.data(), out.size(), text.data(), text.size());
  if (ZSTD_isError(size)) throw std::runtime_error("zstd did not compress");
  out.resize(size);
  return out;
}

std::string skippable_zstd_frame(std::string_view content) {
  std::string frame = "\x53\x2a\x4d\x18";
  for (int shift = 0; shift < 32; shift += 8) {
    frame += static_cast<char>(content.size() >> shift & 0xff);
  }
  return frame.append(content);
}

}  // namespace assay

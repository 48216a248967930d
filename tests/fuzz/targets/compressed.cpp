// Compressed data, read in large pieces and in small ones: the first byte says how small, the
// others are the file.
#include <string>

#include "profiler/support/error.h"
#include "suites/readers/input_stream.h"
#include "tests/fuzz/targets/target.h"

namespace assay::fuzz {
namespace {

constexpr std::size_t kLargePiece = std::size_t{1} << 16;

/// More bytes than compressed data of a few hundred bytes decompress to, unless they are a bomb.
constexpr std::size_t kEnough = std::size_t{1} << 22;

struct Content {
  std::string text;
  bool damaged = false;  ///< the data behind the text are damaged
};

Content read(InputStream stream, std::size_t piece) {
  Content content;
  std::string buffer(piece, '\0');
  try {
    while (!stream.has_ended() && content.text.size() < kEnough) {
      const std::size_t count = stream.read(buffer);
      require(count <= piece, "more than was asked for");
      content.text.append(buffer, 0, count);
    }
  } catch (const InputError&) {
    content.damaged = true;
  }
  return content;
}

}  // namespace
}  // namespace assay::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  using namespace assay::fuzz;
  if (size == 0) return 0;
  const FileInMemory file(text_from(data + 1, size - 1));
  const Content whole = read(InputFile::open(file.path()), kLargePiece);
  if (whole.text.size() >= kEnough) return 0;
  const Content pieces = read(InputFile::open(file.path()), data[0] + std::size_t{1});
  require(whole.text == pieces.text && whole.damaged == pieces.damaged,
          "other pieces make another whole");
  return 0;
}

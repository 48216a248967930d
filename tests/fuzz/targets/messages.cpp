// What a worker sends: the first byte is the size of the pieces in which it comes.
#include <algorithm>
#include <string>

#include "harness/campaign/worker_message.h"
#include "tests/fuzz/targets/target.h"

namespace assay::fuzz {
namespace {

/// Checks that a message that was read is the same when it is written and read once more.
void check_message(const Message& message) {
  const std::string written = encode(message);
  MessageStream stream;
  stream.append(written);
  const auto again = stream.next();
  require(again && encode(*again) == written, "a message does not come back");
  require(!stream.next(), "a message is two");
}

void read(std::string_view bytes, std::size_t piece) {
  MessageStream stream;
  for (std::size_t begin = 0; begin < bytes.size(); begin += piece) {
    stream.append(bytes.substr(begin, piece));
    while (const auto message = stream.next()) check_message(*message);
  }
}

}  // namespace
}  // namespace assay::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  try {
    assay::fuzz::read(assay::fuzz::text_from(data + 1, size - 1),
                      std::max<std::size_t>(data[0], 1));
  } catch (const assay::BrokenMessage&) {
  }
  return 0;
}

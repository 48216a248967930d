// A source text: the first byte says in which syntax, the others are the text.
#include <variant>

#include "profiler/block/assembler.h"
#include "profiler/block/block.h"
#include "profiler/block/text.h"
#include "profiler/support/error.h"
#include "tests/fuzz/targets/target.h"

namespace assay::fuzz {
namespace {

/// Checks that the text of a block can be assembled again, as text.h promises.
void check_printed(const Bytes& bytes) {
  const std::string printed = text_of(bytes);
  require(bytes.empty() == printed.empty(), "bytes without text, or the reverse");
  if (!std::holds_alternative<Block>(decode(bytes))) return;
  try {
    assemble(printed, Syntax::kIntel);
  } catch (const InputError& error) {
    throw BrokenPromise("what is printed does not assemble: " + std::string(error.what()));
  }
}

}  // namespace
}  // namespace assay::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || !assay::can_assemble()) return 0;
  const assay::Syntax syntax = data[0] % 2 == 0 ? assay::Syntax::kIntel : assay::Syntax::kAtt;
  assay::Bytes bytes;
  try {
    bytes = assay::assemble(assay::fuzz::text_from(data + 1, size - 1), syntax);
  } catch (const assay::InputError&) {
    return 0;
  }
  assay::fuzz::check_printed(bytes);
  return 0;
}

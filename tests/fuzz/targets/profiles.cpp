// A profile of callgrind, read and turned into the blocks that ran.
#include <span>

#include "profiler/block/block.h"
#include "profiler/block/bytes.h"
#include "profiler/support/error.h"
#include "suites/extract/dynamic/callgrind_profile.h"
#include "suites/extract/dynamic/executed_blocks.h"
#include "tests/fuzz/targets/target.h"

namespace assay::fuzz {
namespace {

/// The code of tests/harness/commands/traced_program.S, of which seeds/profiles/program is a
/// profile.
const Bytes& code() {
  static const Bytes kCode = bytes_from_hex(
      "488b1c24b9e8030000e815000000e82c00000048ffcb4883fb02744877488d3c5beb6d4801d0486b"
      "d207ffc975f5488d3d0b100000b964000000f3aa31d2c3488d35ba0f0000ba1a000000bf01000000"
      "b8010000000f05bf02000000b8010000000f05c30f0b4883fb04751bb80d000000bf0f000000488d"
      "35a30f000031d241ba080000000f05b8220000000f05ebf7b8e70000000f05");
  return kCode;
}

Image image() {
  Image image;
  image.name = "program";
  image.executable = {{0x401000, code().size(), code()}};
  return image;
}

void check_order(AddressCounts& counts) {
  const auto sorted = counts.sorted();
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    require(sorted[i - 1].address < sorted[i].address, "addresses are not in order");
  }
}

void check_object(ExecutedObject& object, const BlockChoice& choice) {
  check_order(object.instructions);
  check_order(object.targets);
  check_order(object.repeats);
  BlockSet blocks;
  const ExecutedCounts counts = add_executed_blocks(image(), object, choice, blocks);
  require(blocks.size() <= counts.places, "there are more blocks than places");
  blocks.for_each([](const CorpusEntry& entry) {
    require(!entry.bytes.empty() && entry.bytes.size() <= kLargestBlock, "a block's size is odd");
    return true;
  });
}

void read(const std::string& path) {
  ExecutedCode code;
  read_callgrind_profile(InputFile::open(path), code);
  for (auto& [name, object] : code) {
    require(!name.empty(), "an object has no name");
    check_object(object, {});
    check_object(object, {.keep_branch = true});
    check_object(object, {.loops = true});
  }
}

}  // namespace
}  // namespace assay::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const assay::fuzz::FileInMemory file(assay::fuzz::text_from(data, size));
  try {
    assay::fuzz::read(file.path());
  } catch (const assay::InputError&) {
  }
  return 0;
}

#include "suites/extract/walk/block_cutter.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "suites/extract/walk/code_walk.h"
#include "tests/suites/extract/made_image.h"

namespace assay {
namespace {

using testing::ElementsAreArray;

/// The blocks that are loops, as "OFFSET:HEX", with their branch if they keep it.
std::vector<std::string> loops_of(const MadeImage& made, bool keep_branch) {
  const CodeSpace space(made.image());
  CodeWalk walk(made.image(), space);
  EXPECT_TRUE(walk.run([](std::size_t) { return true; }));
  std::vector<std::string> loops;
  cut_blocks(space, walk.marks(), keep_branch, [&](const CutBlock& block) {
    const Bytes bytes(block.bytes.begin(), block.bytes.end());
    if (block.loop) loops.push_back(fmt::format("{:x}:{}", block.offset, hex_from_bytes(bytes)));
    return true;
  });
  return loops;
}

TEST(BlockCutter, TellsLoopsOfOneBlock) {
  const struct {
    const char* what;
    const char* code;
    std::vector<std::string> loops;
  } cases[] = {
      {"at a function's start", "ffc9 75fc (jnz) c3", {"0:ffc975fc"}},
      {"entered from above", "31c0 (1:) 01c8 ffc9 75fa (jnz 1b) c3", {"2:01c8ffc975fa"}},
      {"entered by a jump over the block before it",
       "eb02 (jmp 1f) 31c0 (1:) ffc9 75fc (jnz 1b) c3",
       {"4:ffc975fc"}},
      {"whose jump has 32 bits", "ffc9 0f85f8ffffff (jnz) c3", {"0:ffc90f85f8ffffff"}},
      {"ended by LOOP", "01c8 e2fc (loop) c3", {"0:01c8e2fc"}},
      {"ended by JRCXZ", "8b0b e3fc (jrcxz) c3", {"0:8b0be3fc"}},
      {"that never ends", "f390 ebfc (jmp)", {"0:f390ebfc"}},
      {"inside another one",
       "31c0 (1:) 89d1 (2:) ffc9 75fc (jnz 2b) ffca 75f6 (jnz 1b) c3",
       {"4:ffc975fc"}},
      {"one behind the other", "ffc9 75fc (jnz) ffca 75fc (jnz) c3", {"0:ffc975fc", "4:ffca75fc"}},
      {"not with a jump from elsewhere into its middle",
       "85ff 7402 (jz 2f) 01c8 (2:) ffc9 75fa (jnz -2) c3",
       {}},
      {"not of two blocks", "01c8 7402 (jz 1f) ffc9 (1:) ffca 75f6 (jnz 0) c3", {}},
      {"not by a jump into its own middle, which begins a block there",
       "31c0 01c8 ffc9 75fc (jnz to ffc9) c3",
       {"4:ffc975fc"}},
      {"not by a jump forward", "ffc9 7500 (jnz +0) c3", {}},
      {"not by a call of itself", "ffc9 e8f9ffffff (call) c3", {}},
      {"not of a jump alone", "ebfe (jmp)", {}},
  };
  for (const auto& test : cases) {
    const MadeImage made = MadeImage(test.code).entry(0x1000);
    EXPECT_THAT(loops_of(made, true), ElementsAreArray(test.loops)) << test.what;
  }
}

TEST(BlockCutter, TellsLoopsWithoutTheirBranchToo) {
  const MadeImage made = MadeImage("31c0 (1:) 01c8 ffc9 75fa (jnz 1b) c3").entry(0x1000);
  EXPECT_THAT(loops_of(made, false), ElementsAreArray({"2:01c8ffc9"}));
}

}  // namespace
}  // namespace assay

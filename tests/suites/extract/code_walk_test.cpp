#include "suites/extract/walk/code_walk.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "suites/extract/walk/block_cutter.h"
#include "tests/suites/extract/made_image.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;

struct Found {
  std::vector<std::string> blocks;  ///< "OFFSET:HEX", with offsets from the start of the code
  SkippedBlocks skipped;
  WalkCounts counts;
  std::size_t reached = 0;
};

Found walk(const MadeImage& made, bool keep_branch = false) {
  const CodeSpace space(made.image());
  CodeWalk walk(made.image(), space);
  EXPECT_TRUE(walk.run([](std::size_t) { return true; }));
  Found found;
  found.skipped = cut_blocks(space, walk.marks(), keep_branch, [&](const CutBlock& block) {
    const Bytes bytes(block.bytes.begin(), block.bytes.end());
    found.blocks.push_back(fmt::format("{:x}:{}", block.offset, hex_from_bytes(bytes)));
    return true;
  });
  found.counts = walk.counts();
  found.reached = walk.reached();
  return found;
}

struct Flow {
  const char* what;
  MadeImage image;
  std::vector<std::string> blocks;
};

TEST(CodeWalk, CutsAtBranchesAndTargets) {
  const Flow flows[] = {
      {"a loop",
       MadeImage("31c0 b90a000000 (1:) 01c8 ffc9 75fa (jnz 1b) c3").entry(0x1000),
       {"0:31c0b90a000000", "7:01c8ffc9"}},
      {"both ways of a conditional jump",
       MadeImage("85ff 7403 31c0 c3 (1:) 89f8 c3").entry(0x1000),
       {"0:85ff", "4:31c0", "7:89f8"}},
      {"behind a jump nothing, at its target something",
       MadeImage("31c0 eb02 0606 89f8 c3").entry(0x1000),
       {"0:31c0", "6:89f8"}},
      {"a called function, and what is behind the call",
       MadeImage("31c0 e803000000 (call f) 89c7 c3 (f:) 89f8 c3").entry(0x1000),
       {"0:31c0", "7:89c7", "a:89f8"}},
      {"an indirect call", MadeImage("31c0 ffd0 89c7 c3").entry(0x1000), {"0:31c0", "4:89c7"}},
      {"a system call",
       MadeImage("b83c000000 0f05 89c7 f4 0606").entry(0x1000),
       {"0:b83c000000", "7:89c7"}},
      {"a jump into what was decoded already",
       MadeImage("31c0 89f8 89d8 39c8 75f8 (jnz +2) c3").entry(0x1000),
       {"0:31c0", "2:89f889d839c8"}},
      {"a call of the next instruction",
       MadeImage("31c0 e800000000 58 01d8 c3").entry(0x1000),
       {"0:31c0", "7:5801d8"}},
      {"a landing pad",
       MadeImage("31c0 c3 06 89c7 c3").frame(0x1000, 0x1007).landing_pad(0x1004, 0x1000),
       {"0:31c0", "4:89c7"}},
      {"a function that nothing calls, by its symbol",
       MadeImage("06 06 89c7 c3").function(0x1002, 3),
       {"2:89c7"}},
  };
  for (const Flow& flow : flows) {
    EXPECT_THAT(walk(flow.image).blocks, ElementsAreArray(flow.blocks)) << flow.what;
  }
}

TEST(CodeWalk, DecodesNothingBehindWhatDoesNotReturn) {
  const Flow flows[] = {
      {"an import, called",
       MadeImage("31c0 ff15f80f0000 (call [0x2000]) 06 06", "00")
           .entry(0x1000)
           .import(0x2000, "abort"),
       {"0:31c0"}},
      {"a stub that jumps to one",
       MadeImage("31c0 e802000000 06 06 (stub:) ff25f10f0000 (jmp [0x2000])", "00")
           .entry(0x1000)
           .import(0x2000, "__stack_chk_fail"),
       {"0:31c0"}},
      {"an import that stands for itself, in an object file",
       MadeImage("31c0 e8f90f0000 (call 0x2000) 06 06", "00").entry(0x1000).import(0x2000, "exit"),
       {"0:31c0"}},
      {"a function that ends in a trap",
       MadeImage("31c0 e802000000 06 06 (f:) 89c7 0f0b").entry(0x1000),
       {"0:31c0", "9:89c7"}},
      {"a function all of whose ways do",
       MadeImage("31c0 e802000000 06 06 (f:) 85ff 7402 0f0b (1:) 89c7 ebf6 (jmp f)").entry(0x1000),
       {"0:31c0", "9:85ff", "f:89c7"}},
      {"functions that only call each other",
       MadeImage("31c0 e802000000 06 06 (f:) 89c7 e802000000 06 06 (g:) 89d8 e8f0ffffff 06")
           .entry(0x1000),
       {"0:31c0", "9:89c7", "12:89d8"}},
  };
  for (const Flow& flow : flows) {
    EXPECT_THAT(walk(flow.image).blocks, ElementsAreArray(flow.blocks)) << flow.what;
  }
}

TEST(CodeWalk, GoesOnBehindWhatReturns) {
  const Flow flows[] = {
      {"an import",
       MadeImage("31c0 ff15f80f0000 89c7 c3", "00").entry(0x1000).import(0x2000, "puts"),
       {"0:31c0", "8:89c7"}},
      {"an import that the image defines, by its code",
       MadeImage("31c0 ff15f80f0000 06 06 (f:) 0f0b", "00")
           .entry(0x1000)
           .import(0x2000, "puts", 0x100a),
       {"0:31c0"}},
      {"a function that returns only behind a call of another",
       MadeImage("31c0 e803000000 89c7 c3 (f:) 89d8 e803000000 89f8 c3 (g:) 89ca c3").entry(0x1000),
       {"0:31c0", "7:89c7", "a:89d8", "11:89f8", "14:89ca"}},
      {"a function that returns only from where it catches",
       MadeImage("31c0 e803000000 89c7 c3 (f:) 89d8 0f0b (pad:) 89ca c3")
           .frame(0x1000, 0x100a)
           .frame(0x100a, 0x1011)
           .landing_pad(0x100e, 0x100a),
       {"0:31c0", "7:89c7", "a:89d8", "e:89ca"}},
      {"a function that goes on in another",
       MadeImage("31c0 e803000000 89c7 c3 (f:) 89d8 ffe0").entry(0x1000),
       {"0:31c0", "7:89c7", "a:89d8"}},
      {"two functions that call each other, one of which returns",
       MadeImage("31c0 e803000000 89c7 c3 (f:) 85ff 7406 e803000000 c3 (1:) c3 06 (g:) 89ca "
                 "e8edffffff 89d8 c3")
           .entry(0x1000),
       {"0:31c0", "7:89c7", "a:85ff", "16:89ca", "1d:89d8"}},
  };
  for (const Flow& flow : flows) {
    EXPECT_THAT(walk(flow.image).blocks, ElementsAreArray(flow.blocks)) << flow.what;
  }
}

TEST(CodeWalk, NeverGoesPastAFunctionsEnd) {
  const Found call = walk(MadeImage("31c0 ffd0 06 06 89c7 c3").frame(0x1000, 0x1004));
  EXPECT_THAT(call.blocks, ElementsAre("0:31c0"));
  EXPECT_EQ(call.counts.past_end, 1);
  const Found cut = walk(MadeImage("31c0 89c7 06 06").function(0x1000, 4));
  EXPECT_THAT(cut.blocks, IsEmpty());
  EXPECT_EQ(cut.skipped.open_end, 1);
  EXPECT_EQ(cut.counts.past_end, 1);
  // The first function goes on into the next one without a branch, as code written by hand may do.
  EXPECT_THAT(walk(MadeImage("31c0 89c7 c3").function(0x1000, 2).function(0x1002, 3)).blocks,
              ElementsAre("0:31c0", "2:89c7"));
}

TEST(CodeWalk, DropsWhatRunsIntoNoInstruction) {
  const Found found = walk(MadeImage("85ff 7403 31c0 06 (1:) 89c7 c3").entry(0x1000));
  EXPECT_THAT(found.blocks, ElementsAre("0:85ff", "7:89c7"));
  EXPECT_EQ(found.counts.invalid_code, 1);
  EXPECT_EQ(found.skipped.open_end, 1);
}

TEST(CodeWalk, DropsInstructionsThatOverlap) {
  // One path runs a lock prefix, the other jumps over it.
  const Found found = walk(MadeImage("85ff 7401 f0 (1:) 0fb10f 89c7 c3").entry(0x1000));
  EXPECT_THAT(found.blocks, ElementsAre("0:85ff"));
  EXPECT_GE(found.skipped.disputed, 1);
}

TEST(CodeWalk, PassesOverBranchesAndFillingAlone) {
  const Found found =
      walk(MadeImage("f30f1efa (endbr64) 7407 0f1f4000 (nop) eb01 c3 (1:) 90 c3").entry(0x1000));
  EXPECT_THAT(found.blocks, IsEmpty());
  EXPECT_EQ(found.skipped.filling, 3);
  EXPECT_EQ(found.skipped.branch_alone, 0);
  const Found branches = walk(MadeImage("7401 c3 c3").entry(0x1000));
  EXPECT_THAT(branches.blocks, IsEmpty());
  EXPECT_EQ(branches.skipped.branch_alone, 3);
}

TEST(CodeWalk, KeepsADirectJumpAtTheEndIfAskedTo) {
  MadeImage made(
      "31c0 (1:) 01c8 75fc (jnz 1b) e804000000 (call f) 89c7 eb03 (jmp 2) (f:) 89f8 c3 (2:) 31c9 "
      "ffe0");
  made.entry(0x1000);
  EXPECT_THAT(walk(made, true).blocks,
              ElementsAre("0:31c0", "2:01c875fc", "b:89c7eb03", "f:89f8", "12:31c9"));
  // A jump alone is not a block, with keep_branch or without.
  EXPECT_THAT(walk(MadeImage("eb00 31c0 c3").entry(0x1000), true).blocks, ElementsAre("2:31c0"));
}

TEST(CodeWalk, PassesOverFieldsThatNobodyKnows) {
  const Found found =
      walk(MadeImage("31c0 48b80000000000000000 7402 89c7 c3").entry(0x1000).unknown_field(0x1004));
  EXPECT_THAT(found.blocks, ElementsAre("e:89c7"));
  EXPECT_EQ(found.skipped.unknown_field, 1);
}

// A switch: cmp edi, 1; ja 3f; lea rdx, [rip + 0x2000]; movsxd rax, [rdx + rdi * 4]; add rax, rdx;
// jmp rax. The code behind the switch is at 0x1018, its cases are at 0x1019 and 0x101c.
constexpr const char* kSwitch =
    "83ff01 7713 488d15f40f0000 486304ba 4801d0 ffe0 06 06 06 c3 31c0 c3 31c9 c3";

TEST(CodeWalk, FollowsTablesThatAreSure) {
  // The entries of the table are relative to the table's address.
  const Found found = walk(MadeImage(kSwitch, "19f0ffff 1cf0ffff ffffffff").frame(0x1000, 0x101f));
  EXPECT_THAT(found.blocks,
              ElementsAre("0:83ff01", "5:488d15f40f0000486304ba4801d0", "19:31c0", "1c:31c9"));
  EXPECT_EQ(found.counts.table_jumps, 1);
  EXPECT_EQ(found.counts.unresolved_jumps, 0);
}

TEST(CodeWalk, FollowsNoTableThatIsNotSure) {
  const struct {
    const char* what;
    const char* code;
    const char* data;
  } cases[] = {
      {"an entry leads elsewhere", kSwitch, "19f0ffff 00f1ffff"},
      {"the table is cut off", kSwitch, "19f0ffff 1cf0"},
      {"an entry leads into an instruction", kSwitch, "19f0ffff 06f0ffff"},
      {"nothing was compared",
       "9090909090 488d15f40f0000 486304ba 4801d0 ffe0 060606 c3 31c0 c3 31c9 c3",
       "19f0ffff 1cf0ffff"},
  };
  for (const auto& test : cases) {
    const Found found = walk(MadeImage(test.code, test.data).frame(0x1000, 0x101f));
    EXPECT_EQ(found.counts.table_jumps, 0) << test.what;
    EXPECT_EQ(found.counts.unresolved_jumps, 1) << test.what;
  }
}

TEST(CodeWalk, FollowsLabelsThatDataPointsToWhereAJumpMayGo) {
  const std::string code = "31c0 ffe0 06 06 31c9 c3";
  EXPECT_THAT(walk(MadeImage(code).frame(0x1000, 0x1009).pointed_at(0x1006)).blocks,
              ElementsAre("0:31c0", "6:31c9"));
  // In a function without an indirect jump, the address may be a pointer to data.
  EXPECT_THAT(walk(MadeImage("31c0 c3 06 31c9 c3").frame(0x1000, 0x1007).pointed_at(0x1004)).blocks,
              ElementsAre("0:31c0"));
}

TEST(CodeWalk, CountsWhatItReached) {
  const Found found = walk(MadeImage("31c0 7402 89c7 c3 06 06").entry(0x1000));
  EXPECT_EQ(found.counts.instructions, 4);
  EXPECT_EQ(found.reached, 7U);
}

TEST(CodeWalk, EndsWhenToldTo) {
  const MadeImage made = MadeImage("31c0 c3").entry(0x1000);
  const CodeSpace space(made.image());
  CodeWalk walk(made.image(), space);
  EXPECT_FALSE(walk.run([](std::size_t) { return false; }));
}

TEST(CodeWalk, TakesALongRunAsOneBlock) {
  std::string code;
  for (int i = 0; i < 5000; ++i) code += "01c8";
  MadeImage made(code + "c3");
  made.entry(0x1000);
  const Found found = walk(made);
  ASSERT_EQ(found.blocks.size(), 1U);
  EXPECT_EQ(found.blocks[0].size(), 2 + 20000U);
  std::string longer;
  for (int i = 0; i < 9000; ++i) longer += "01c8";
  EXPECT_EQ(walk(MadeImage(longer + "c3").entry(0x1000)).skipped.too_large, 1);
}

}  // namespace
}  // namespace assay

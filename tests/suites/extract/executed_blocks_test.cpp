#include "suites/extract/dynamic/executed_blocks.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "profiler/block/bytes.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kCode = 0x1000;

/// Instructions of a made-up program, one after the other from kCode on.
class ExecutedBlocks : public testing::Test {
 protected:
  /// Appends an instruction that ran `count` times, and returns its address.
  std::uint64_t ran(const std::string& hex, std::uint64_t count) {
    const std::uint64_t address = kCode + code_.size();
    const Bytes bytes = bytes_from_hex(hex);
    code_.insert(code_.end(), bytes.begin(), bytes.end());
    if (count > 0) object_.instructions.add(address, count);
    return address;
  }

  /// The blocks as "HEX xCOUNT ORIGIN".
  std::vector<std::string> blocks(const BlockChoice& choice = {}) {
    Image image;
    image.name = "program";
    image.executable = {{kCode, code_.size(), code_}};
    image.functions = functions_;
    BlockSet set;
    counts_ = add_executed_blocks(image, object_, choice, set);
    std::vector<std::string> texts;
    for (const CorpusEntry& entry : set.entries()) {
      texts.push_back(fmt::format("{} x{} {}", hex_from_bytes(entry.bytes),
                                  entry.frequency.value_or(-1), entry.origin));
    }
    return texts;
  }
  ExecutedObject object_;
  std::vector<FunctionSymbol> functions_;
  ExecutedCounts counts_;

 private:
  Bytes code_;
};

// 4801d8 add rax, rbx   4829c8 sub rax, rcx   75xx jnz   ffc9 dec ecx   c3 ret   e8.. call
// f3aa rep stosb        90 nop   0f0b ud2     0f05 syscall

TEST_F(ExecutedBlocks, EndBeforeABranchOrBehindADirectJump) {
  ran("4801d8", 7);
  ran("ffc9", 7);
  ran("75f9", 7);
  ran("4829c8", 1);
  ran("c3", 1);
  EXPECT_THAT(blocks(), ElementsAre("4801d8ffc9 x7 program", "4829c8 x1 program"));
  EXPECT_EQ(counts_.places, 2);
  EXPECT_EQ(counts_.executions, 8);
  EXPECT_EQ(counts_.bytes, 8);
  EXPECT_THAT(blocks({.keep_branch = true}),
              ElementsAre("4801d8ffc975f9 x7 program", "4829c8 x1 program"));
}

TEST_F(ExecutedBlocks, AreLoopsIfTheirJumpLeadsBack) {
  ran("4829c8", 1);
  const auto loop = ran("4801d8", 7);
  ran("ffc9", 7);
  ran("75f9", 7);
  ran("4829c8", 1);
  ran("75f2", 1);  // to the loop, of which it is no part, and not taken
  ran("c3", 1);
  object_.targets.add(loop, 6);
  EXPECT_THAT(blocks({.loops = true}), ElementsAre("4801d8ffc975f9 x7 program"));
  EXPECT_EQ(counts_.places, 3);
  EXPECT_EQ(counts_.executions, 9);
  EXPECT_EQ(counts_.loops, 1);
  EXPECT_EQ(counts_.loop_executions, 7);
}

TEST_F(ExecutedBlocks, EndBehindCallsAndSystemCallsToo) {
  ran("4801d8", 2);
  ran("e800000000", 2);
  ran("4829c8", 2);
  ran("0f05", 2);
  ran("ffc9", 2);
  ran("c3", 2);
  EXPECT_THAT(blocks(), ElementsAre("4801d8 x2 program", "4829c8 x2 program", "ffc9 x2 program"));
}

TEST_F(ExecutedBlocks, BeginWhereAJumpWentOrTheCountChanges) {
  ran("4801d8", 3);
  const auto target = ran("4829c8", 3);
  ran("ffc9", 5);
  ran("ffc9", 4);
  ran("c3", 4);
  object_.targets.add(target, 0);
  EXPECT_THAT(blocks(), ElementsAre("4801d84829c8 x3 program", "ffc9 x9 program"));
  object_.targets.add(target, 1);
  EXPECT_THAT(blocks(), ElementsAre("4801d8 x3 program", "4829c8 x3 program", "ffc9 x9 program"));
}

TEST_F(ExecutedBlocks, CountARepeatedInstructionWithoutItsIterations) {
  ran("4801d8", 2);
  const auto rep = ran("f3aa", 202);
  ran("4829c8", 2);
  ran("c3", 2);
  // As callgrind writes it, the first iteration is not a jump: it belongs to the block before.
  object_.targets.add(rep, 200);
  object_.repeats.add(rep, 200);
  EXPECT_THAT(blocks(), ElementsAre("4801d8f3aa4829c8 x2 program"));
}

TEST_F(ExecutedBlocks, CountABranchToItselfEachTime) {
  ran("ffc9", 4);
  const auto loop = ran("e2fe", 40);  // the instruction LOOP, which jumps to itself
  ran("4801d8", 4);
  ran("c3", 4);
  object_.targets.add(loop, 36);
  object_.repeats.add(loop, 36);
  EXPECT_THAT(blocks({.keep_branch = true}), ElementsAre("ffc9 x4 program", "4801d8 x4 program"));
  EXPECT_EQ(counts_.skipped.branch_alone, 1);
}

TEST_F(ExecutedBlocks, OfEqualBytesAreOneWithTheFirstOrigin) {
  const auto first = ran("4801d8", 3);
  ran("c3", 3);
  const auto second = ran("4801d8", 4);
  ran("c3", 4);
  functions_ = {{first, 4, "one"}, {second, 4, "two"}};
  EXPECT_THAT(blocks(), ElementsAre("4801d8 x7 program:one"));
  EXPECT_EQ(counts_.places, 2);
}

TEST_F(ExecutedBlocks, AreNotTakenWhereInstructionsOverlap) {
  // Some executions jump over the lock prefix, as in old C libraries: both paths go on with the
  // same code.
  const auto locked = ran("f0ff03", 2);
  object_.instructions.add(locked + 1, 5);
  object_.targets.add(locked + 1, 5);
  ran("4801d8", 7);
  ran("c3", 7);
  EXPECT_THAT(blocks(), ElementsAre("4801d8 x7 program"));
  EXPECT_EQ(counts_.skipped.disputed, 2);
}

TEST_F(ExecutedBlocks, AreNotMadeOfBranchesOrNopsAlone) {
  ran("c3", 1);
  ran("90", 2);
  ran("c3", 2);
  EXPECT_THAT(blocks(), IsEmpty());
  EXPECT_EQ(counts_.skipped.branch_alone, 1);
  EXPECT_EQ(counts_.skipped.filling, 1);
  EXPECT_THAT(blocks({.keep_branch = true}), IsEmpty());
}

TEST_F(ExecutedBlocks, AreNotTakenWhereTheFileHasOtherCode) {
  ran("4801d8", 1);
  ran("4829c8", 0);  // is in the file, but did not run
  ran("c3", 1);
  ran("06", 3);  // not an instruction in 64-bit mode
  ran("ffc9", 5);
  ran("48", 0);                             // the file ends inside an instruction
  object_.instructions.add(kCode + 10, 5);  // that instruction ran
  object_.instructions.add(0x9000, 1);
  EXPECT_THAT(blocks(), IsEmpty());
  EXPECT_EQ(counts_.skipped.open_end, 2);
  EXPECT_EQ(counts_.skipped.branch_alone, 1);
  EXPECT_EQ(counts_.not_in_file, 3);
}

TEST_F(ExecutedBlocks, AreNoLongerThanABlockMayBe) {
  for (int i = 0; i < 6000; ++i) ran("4801d8", 1);
  ran("c3", 1);
  EXPECT_THAT(blocks(), IsEmpty());
  EXPECT_EQ(counts_.skipped.too_large, 1);
}

}  // namespace
}  // namespace assay

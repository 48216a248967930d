#include "suites/readers/assembly_lines.h"

#include <gmock/gmock.h>

#include "tests/suites/readers/items.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class AssemblyLines : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_assemble()) GTEST_SKIP() << "this build has no LLVM, and with it no assembler";
  }
};

TEST(AssemblyLinesAbsent, SayWhatToInstall) {
  if (can_assemble()) GTEST_SKIP() << "this build has an assembler";
  EXPECT_THAT(items_of("nop\n", CorpusFormat::kAsmLine), ElementsAre(HasSubstr("llvm-19-dev")));
}

TEST_F(AssemblyLines, EndBlocksAtEmptyLinesAndLoneSemicolons) {
  EXPECT_THAT(items_of("# a corpus\n\n\n add rax, rbx\n# within\nnop; nop ;\n \t\r\n"
                       "# alone\n\nnop\n;\n  top: dec rcx # c\njnz top",
                       CorpusFormat::kAsm),
              ElementsAre("4:4801d89090", "10:90", "12:48ffc975fb"));
}

TEST_F(AssemblyLines, KnowBothSyntaxes) {
  EXPECT_THAT(items_of("addq %rbx, %rax\nnop\n", CorpusFormat::kAtt), ElementsAre("1:4801d890"));
  EXPECT_THAT(items_of("addq %rbx, %rax; nop\nnop\n", CorpusFormat::kAttLine),
              ElementsAre("1:4801d890", "2:90"));
  EXPECT_THAT(items_of("\nadd rax, rbx; nop # c\r\n# c\nnop", CorpusFormat::kAsmLine),
              ElementsAre("2:4801d890", "4:90"));
}

TEST_F(AssemblyLines, NameThePlaceInTheFile) {
  EXPECT_THAT(items_of("nop\n\nnop\n  nop; frob rax\nnop\n\nnop\n", CorpusFormat::kAsm),
              ElementsAre("1:90",
                          StartsWith("4! column 8: invalid instruction mnemonic 'frob', in "
                                     "\"nop; frob rax\""),
                          "7:90"));
  EXPECT_THAT(items_of("nop\nmov al, 300\n", CorpusFormat::kAsmLine),
              ElementsAre("1:90", StartsWith("2! column 1: the number 300 does not fit")));
  EXPECT_THAT(
      items_of("label:\n\n.intel_syntax noprefix\n", CorpusFormat::kAsm),
      ElementsAre(StartsWith("1! column 1: there is no instruction"), StartsWith("3! column 1: ")));
}

TEST_F(AssemblyLines, LeaveOutABlockWithALineThatIsTooLong) {
  const std::string longer = "# " + std::string(kLongestLine, 'x');
  EXPECT_THAT(items_of("nop\n" + longer + "\nnop\n\nnop\n", CorpusFormat::kAsm),
              ElementsAre(StartsWith("2! "), "5:90"));
}

TEST_F(AssemblyLines, KeepWithinBoundsWhateverTheBlocksLength) {
  std::string content;
  for (int i = 0; i < 300'000; ++i) content += "nop nop nop\n";
  EXPECT_THAT(items_of(content + "\nnop\n", CorpusFormat::kAsm),
              ElementsAre(HasSubstr("the text has 1048584 characters"), "300002:90"));
}

}  // namespace
}  // namespace assay

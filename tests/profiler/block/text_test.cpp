#include "profiler/block/text.h"

#include <gtest/gtest.h>

#include "profiler/block/assembler.h"

namespace assay {
namespace {

std::string text(const char* hex) { return text_of(bytes_from_hex(hex)); }

TEST(Text, SeparatesInstructions) {
  EXPECT_EQ(text("4801d8480fafca"), "add rax, rbx; imul rcx, rdx");
  EXPECT_EQ(text("90"), "nop");
  EXPECT_EQ(text(""), "");
}

TEST(Text, BranchesCountFromTheirOwnFirstByte) {
  EXPECT_EQ(text("90eb00"), "nop; jmp .+2");
  EXPECT_EQ(text("ebfe"), "jmp .+0");
  EXPECT_EQ(text("e9fbfeffff"), "jmp .-256");
}

TEST(Text, BytesThatDoNotDecodeStayRaw) {
  EXPECT_EQ(text("4801d806"), "add rax, rbx; .byte 0x06");
  EXPECT_EQ(text("0690"), ".byte 0x06, 0x90");  // where the next instruction begins is unknown
  EXPECT_EQ(text("0600000000000000000000000000000001"),
            ".byte 0x06, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, "
            "0x00, 0x00, 0x00; .byte 0x01");
}

class TextByLlvm : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_assemble()) GTEST_SKIP() << "this build has no LLVM: its texts are Zydis's";
  }
};

TEST_F(TextByLlvm, FoldsPrefixesIn) {
  EXPECT_EQ(text("f0830001"), "lock add dword ptr [rax], 1");
  EXPECT_EQ(text("f3a4"), "rep movsb byte ptr es:[rdi], byte ptr [rsi]");
  EXPECT_EQ(text("f2ae"), "repne scasb al, byte ptr es:[rdi]");
  EXPECT_EQ(text("f30f01fa"), "mcommit");
  EXPECT_EQ(text("90f048ff00"), "nop; lock inc qword ptr [rax]");
}

TEST_F(TextByLlvm, KeepsDisplacementsRelative) {
  EXPECT_EQ(text("488b057b000000"), "mov rax, qword ptr [rip + 123]");
  EXPECT_EQ(text("488d05f0ffffff"), "lea rax, [rip - 16]");
}

TEST_F(TextByLlvm, AvxAndMasks) {
  EXPECT_EQ(text("c5f458c2"), "vaddps ymm0, ymm1, ymm2");
  EXPECT_EQ(text("62f174c958c2"), "vaddps zmm0 {k1} {z}, zmm1, zmm2");
  EXPECT_EQ(text("62f17458584001"), "vaddps zmm0, zmm1, dword ptr [rax + 4]{1to16}");
}

TEST_F(TextByLlvm, AssemblesAgain) {
  for (const char* hex : {"4801d8480fafca",
                          "f0830001",
                          "488b057b000000",
                          "48b88877665544332211",
                          "f3a4",
                          "75fb",
                          "a18877665544332211",
                          "65488b042528000000",
                          "c4e26d900488",
                          "62f17458584001",
                          "660f3a6300ff",
                          "d8c1",
                          "ddd9",
                          "0f1f4008",
                          "48c1e03f",
                          "c8100000",
                          "6aff",
                          "83e0f0",
                          "8cd8",
                          "f20f38f0c1",
                          "0fc2c105",
                          "660f3a0fc108",
                          "e2fc",
                          "0606",
                          "312c20",
                          "c5f877"}) {
    EXPECT_EQ(hex_from_bytes(assemble(text(hex), Syntax::kIntel)), hex) << text(hex);
  }
}

}  // namespace
}  // namespace assay

#include "profiler/block/assembler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/support/error.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

std::string intel(std::string_view text) { return hex_from_bytes(assemble(text, Syntax::kIntel)); }
std::string att(std::string_view text) { return hex_from_bytes(assemble(text, Syntax::kAtt)); }

class Assembler : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_assemble()) GTEST_SKIP() << "this build has no LLVM, and with it no assembler";
  }

  static void expect_error(std::string_view text, Syntax syntax, const std::string& part) {
    EXPECT_THAT([&] { assemble(text, syntax); }, ThrowsMessage<InputError>(HasSubstr(part)))
        << text.substr(0, 100);
  }
  static void expect_error(std::string_view text, const std::string& part) {
    expect_error(text, Syntax::kIntel, part);
  }
};

TEST(AssemblerAbsent, SaysWhatToInstall) {
  if (can_assemble()) GTEST_SKIP() << "this build has an assembler";
  EXPECT_THAT([] { assemble("nop", Syntax::kIntel); },
              ThrowsMessage<EnvironmentError>(HasSubstr("llvm-19-dev")));
}

TEST_F(Assembler, Intel) {
  EXPECT_EQ(intel("add rax, rbx; imul rcx, rdx"), "4801d8480fafca");
  EXPECT_EQ(intel("mov rax, [rbx+8]"), "488b4308");
  EXPECT_EQ(intel("mov rax, qword ptr [rbx + 8*rcx]"), "488b04cb");
  EXPECT_EQ(intel("MOV RAX, RBX"), "4889d8");
  EXPECT_EQ(intel("lock add dword ptr [rax], 1"), "f0830001");
  EXPECT_EQ(intel("fadd st, st(1)"), "d8c1");
  EXPECT_EQ(intel("vaddps zmm0{k1}{z}, zmm1, zmm2"), "62f174c958c2");
  EXPECT_EQ(intel("\tnop ;\n nop\r\n"), "9090");
  EXPECT_EQ(intel(".byte 0x90, 0xcc"), "90cc");
}

TEST_F(Assembler, IntelNumbers) {
  EXPECT_EQ(intel("mov eax, 0x10"), "b810000000");
  EXPECT_EQ(intel("mov eax, 10h"), "b810000000");
  EXPECT_EQ(intel("mov eax, 0FFh"), "b8ff000000");
  EXPECT_EQ(intel("mov rax, gs:[28h]"), "65488b042528000000");
  EXPECT_EQ(intel("shl eax, 5"), "c1e005");  // the instruction, not the operator
}

TEST_F(Assembler, Att) {
  EXPECT_EQ(att("addq %rbx, %rax; imulq %rdx, %rcx # both"), "4801d8480fafca");
  EXPECT_EQ(att("movq 8(%rbx,%rcx,4), %rax"), "488b448b08");
  EXPECT_EQ(att("addl $-1, %eax"), "83c0ff");
}

TEST_F(Assembler, Comments) {
  EXPECT_EQ(intel("# first; ud2\nnop # \"second\" (\n#33 \"file\"\nnop"), "9090");
}

TEST_F(Assembler, BranchesWithinTheText) {
  EXPECT_EQ(intel("top: dec rcx; jnz top"), "48ffc975fb");
  EXPECT_EQ(intel("1: dec rcx; jnz 1b"), "48ffc975fb");
  EXPECT_EQ(intel("dec rcx; jnz .-3"), "48ffc975fb");
  EXPECT_EQ(intel("jmp ."), "ebfe");
  EXPECT_EQ(att("dec %rcx; jnz .-3"), "48ffc975fb");
  EXPECT_EQ(intel("jmp .+500"), "e9ef010000");
  EXPECT_EQ(intel("lea rax, [rip + here]; here: nop"), "488d050000000090");
}

TEST_F(Assembler, NumbersThatFit) {
  EXPECT_EQ(intel("mov al, 255"), "b0ff");
  EXPECT_EQ(intel("mov al, -1"), "b0ff");
  EXPECT_EQ(intel("mov al, -128"), "b080");
  EXPECT_EQ(intel("and eax, 0xfffffff0"), "83e0f0");
  EXPECT_EQ(intel("add rax, 0xff"), "4805ff000000");
  EXPECT_EQ(intel("mov rax, 0xffffffffffffffff"), "48c7c0ffffffff");
  EXPECT_EQ(intel("mov rax, -9223372036854775808"), "48b80000000000000080");
  EXPECT_EQ(intel("enter 65535, 31"), "c8ffff1f");
  EXPECT_EQ(intel("vpermil2ps xmm0, xmm1, [rax], xmm5, 0"), "c4e371480050");
  EXPECT_EQ(intel("cmpltps xmm0, xmm1"), "0fc2c101");
  EXPECT_EQ(intel("extrq xmm0, 5, 3"), "660f78c00503");
  EXPECT_EQ(intel("movabs al, [0x1122334455667788]"), "a08877665544332211");
}

TEST_F(Assembler, NumbersThatDoNotFit) {
  expect_error("mov al, 300", "the number 300 does not fit");
  expect_error("mov al, -129", "the number -129 does not fit");
  expect_error("test al, 256", "256");
  expect_error("mov ax, 65536", "65536");
  expect_error("mov eax, 4294967296", "4294967296");
  expect_error("mov byte ptr [rax], 256", "256");
  expect_error("enter 70000, 0", "70000");
  expect_error("ret 70000", "70000");
  expect_error("mov cl, 1-300", "-299");
  expect_error("mov rax, [rbx + 0x100000000]", "4294967296");
  expect_error("mov rax, [rbx + 0xffffffff]", "4294967295");
  expect_error("mov rax, [0x1122334455667788]", "does not fit");
  expect_error("mov rax, -9223372036854775809", "below -2^63");
  expect_error("loop .+300", "too large");
  expect_error(".byte 256", "out of range");
  expect_error("movb $300, %al", Syntax::kAtt, "the number 300 does not fit");
}

TEST_F(Assembler, NothingToAssemble) {
  for (const char* text : {"", " \n\t", "# only a comment", ";;", "label:"}) {
    expect_error(text, "no instruction");
  }
}

TEST_F(Assembler, ErrorsNamePlaceAndLine) {
  EXPECT_THAT(
      [] { assemble("nop\nadd rax, rbx; frob rax\nnop", Syntax::kIntel); },
      ThrowsMessage<InputError>(AllOf(StartsWith("2:15: "), HasSubstr("frob"),
                                      HasSubstr("\n  add rax, rbx; frob rax\n                ^"))));
}

// "10h" is rewritten before LLVM sees it; positions in messages still count in what the user wrote.
TEST_F(Assembler, ErrorsCountInTheOriginalText) {
  EXPECT_THAT([] { assemble("mov eax, 10h; jmp .; frob", Syntax::kIntel); },
              ThrowsMessage<InputError>(StartsWith("1:22: ")));
}

TEST_F(Assembler, LongLinesAreCut) {
  const std::string text = std::string(900, ' ') + "frob" + std::string(90, ' ');
  try {
    assemble(text, Syntax::kIntel);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), AllOf(StartsWith("1:901: "), HasSubstr("frob")));
    EXPECT_LT(std::string(error.what()).size(), 400u);
  }
}

TEST_F(Assembler, NothingToLinkWith) {
  expect_error("add rax, rxx", "'rxx' is no register");
  expect_error("mov rax, [foo]", "'foo'");
  expect_error("call printf", "'printf'");
  expect_error("jmp 2f", "numbered label");
  expect_error("nop; jmp .Lmissing", ".Lmissing");
  expect_error("mov rax, offset here; here: nop", "'here'");
  expect_error("mov eax, .", "'.' can stand only");
  expect_error(".byte foo", "'foo'");
  expect_error("jmp 5", Syntax::kAtt, "absolute address");
  expect_error("movq $foo@PLT, %rax", Syntax::kAtt, "");
}

TEST_F(Assembler, DirectivesAreRefused) {
  for (const char* text :
       {".incbin passwd", ".include passwd", ".macro m", ".rept 9", ".intel_syntax noprefix",
        ".att_syntax", ".code32", ".zero 999999999", ".org 5", "l: .space 5", "a: .b: .fill 9, 9",
        ". equ 5", ".BYTE 5", "nop; .text", "  .globl x", ".cfi_startproc", ".if 1"}) {
    expect_error(text, "only instructions and .byte are");
    expect_error(text, Syntax::kAtt, "only instructions and .byte are");
  }
  expect_error("x = 5", "cannot be assigned");
  expect_error(".byte \"abc\"", "strings");
}

// If LLVM saw these, each of them would end the process, or be assembled to something else without
// an error.
TEST_F(Assembler, ExpressionsThatLlvmGetsWrong) {
  expect_error("mov eax, 5/0", "division");
  expect_error("mov eax, [rax + 5/0]", "division");
  expect_error("mov eax, 5%0", "'%' belongs to AT&T");
  expect_error("mov eax, 5 mod 0", "mod");
  expect_error("mov eax, 5 MOD 0", "MOD");
  expect_error("movl $5/0, %eax", Syntax::kAtt, "division");
  expect_error("mov rax, [rbx", "'[' is not closed");
  expect_error("mov rax, rbx]", "closes nothing");
  expect_error("mov rax, (rbx)", "parentheses");
  expect_error("mov eax, (5", "parentheses");
  expect_error("movq (%rax, %rbx", Syntax::kAtt, "'(' is not closed");
  expect_error("mov eax, 5 shl 70", "shl");
  expect_error("mov eax, 1 << 70", "shifts");
  expect_error("mov eax, -~foo", "the operator ~");
  expect_error("lock xor [rax], not 5", "the operator not");
  EXPECT_EQ(intel("lock xor dword ptr [rax], 5"), "f0833005");
  EXPECT_EQ(intel("{evex} vaddps xmm0, xmm1, xmm2"), "62f1740858c2");
}

TEST_F(Assembler, HostileTexts) {
  expect_error(std::string_view("nop\0nop", 7), "printable");
  expect_error("nop \xff", "printable");
  expect_error("mov eax, 'a", "strings");
  expect_error("mov eax, \"a", "strings");
  expect_error("/* open", "comments");
  expect_error("nop \\", "no meaning");
  expect_error(std::string((1 << 20) + 1, 'a'), "characters");
  expect_error("mov eax, " + std::string(5000, '-') + "5", "more than");
  expect_error("movl $" + std::string(5000, '(') + "5" + std::string(5000, ')') + ", %eax",
               Syntax::kAtt, "more than");
  // Within the limits nothing breaks; whether a text assembles is up to LLVM.
  EXPECT_EQ(att("movl $" + std::string(400, '(') + "5" + std::string(400, ')') + ", %eax"),
            "b805000000");
  EXPECT_EQ(att("movl $" + std::string(900, '-') + "5, %eax"), "b805000000");
}

TEST_F(Assembler, LongTexts) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "nop\n";
  EXPECT_EQ(assemble(text, Syntax::kIntel), Bytes(20'000, 0x90));
}

TEST_F(Assembler, KnowsEveryExtensionWhateverTheCpu) {
  EXPECT_EQ(intel("tileloadd tmm0, [rax + rbx]"), "c4e27b4b0418");
  EXPECT_EQ(intel("vfmaddps xmm0, xmm1, xmm2, xmm3"), "c4e3f168c320");
}

}  // namespace
}  // namespace assay

#include "profiler/block/fixed_addresses.h"

#include <gtest/gtest.h>

#include "profiler/block/block.h"
#include "tests/profiler/block/block_of.h"

namespace assay {
namespace {

bool fixed(const char* hex) {
  const Block block = block_of(hex);
  return have_fixed_addresses(block.bytes, block.instructions);
}

TEST(FixedAddresses, AreOfRegistersThatNothingWrites) {
  EXPECT_TRUE(fixed("4801d8"));                // add rax, rbx
  EXPECT_TRUE(fixed("488903"));                // mov [rbx], rax
  EXPECT_TRUE(fixed("488b44cb08"));            // mov rax, [rbx + 8*rcx + 8]
  EXPECT_TRUE(fixed("488b034801d8488943f8"));  // mov rax, [rbx]; add rax, rbx; mov [rbx - 8], rax
  EXPECT_TRUE(fixed("890d00000000"));          // mov [rip], ecx
  EXPECT_TRUE(fixed("64488b03"));              // mov rax, fs:[rbx]
  EXPECT_TRUE(fixed("0f1f00ffc0"));            // nop [rax]; inc eax
  EXPECT_TRUE(fixed("488d03ffc3"));            // lea rax, [rbx]; inc ebx
  EXPECT_TRUE(fixed("660ff7c1"));              // maskmovdqu xmm0, xmm1, which stores at RDI
}

TEST(FixedAddresses, AreNotOfOnesThatAnInstructionWrites) {
  EXPECT_FALSE(fixed("48890348ffc3"));    // mov [rbx], rax; inc rbx
  EXPECT_FALSE(fixed("48ffc3488903"));    // the same the other way round
  EXPECT_FALSE(fixed("488b1b"));          // mov rbx, [rbx]
  EXPECT_FALSE(fixed("488904cbffc1"));    // mov [rbx + 8*rcx], rax; inc ecx
  EXPECT_FALSE(fixed("488903b701"));      // mov [rbx], rax; mov bh, 1
  EXPECT_FALSE(fixed("488903480fb1cb"));  // mov [rbx], rax; cmpxchg rbx, rcx
  EXPECT_FALSE(fixed("488903480f44d8"));  // mov [rbx], rax; cmove rbx, rax
  EXPECT_TRUE(fixed("488903488703"));     // mov [rbx], rax; xchg [rbx], rax
}

TEST(FixedAddresses, AreNotOfImplicitOnesThatMove) {
  EXPECT_FALSE(fixed("50"));        // push rax
  EXPECT_FALSE(fixed("58"));        // pop rax
  EXPECT_FALSE(fixed("c8080000"));  // enter 8, 0
  EXPECT_FALSE(fixed("c9"));        // leave
  EXPECT_FALSE(fixed("aa"));        // stosb
  EXPECT_FALSE(fixed("f3a4"));      // rep movsb
  EXPECT_FALSE(fixed("d7"));        // xlat, which writes its own index
}

TEST(FixedAddresses, AreNotKnownOfVectorsAndBitStrings) {
  EXPECT_FALSE(fixed("c4e269900c03"));              // vpgatherdd xmm1, [rbx + xmm0], xmm2
  EXPECT_TRUE(fixed("480fa303"));                   // bt [rbx], rax
  EXPECT_FALSE(fixed("480fa30348ffc0"));            // bt [rbx], rax; inc rax
  EXPECT_FALSE(fixed("480fbab3000000000748ffc3"));  // btr [rbx], 7; inc rbx
  EXPECT_FALSE(fixed("0f01fcffc0"));                // clzero; inc eax
  EXPECT_FALSE(fixed("660f38f803"));                // movdir64b rax, [rbx]
  EXPECT_FALSE(fixed("c4e27b4b0403"));              // tileloadd tmm0, [rbx + rax]
  EXPECT_FALSE(fixed("c4e2794b0403"));              // tileloaddt1 tmm0, [rbx + rax]
  EXPECT_FALSE(fixed("c4e27a4b0403"));              // tilestored [rbx + rax], tmm0
}

}  // namespace
}  // namespace assay

#include "profiler/block/may_alias.h"

#include <gtest/gtest.h>

#include <string>
#include <variant>

namespace assay {
namespace {

struct Case {
  const char* hex;
  const char* text;
};

bool aliases(const Case& each) {
  return may_alias(std::get<Block>(decode(bytes_from_hex(each.hex))));
}

TEST(MayAlias, NeedsALoadAndAStore) {
  constexpr Case kCases[] = {
      {"4801d8", "add rax, rbx"},
      {"488b03488b01", "mov rax, [rbx]; mov rax, [rcx]"},
      {"488903488901", "mov [rbx], rax; mov [rcx], rax"},
      {"488903488d01", "mov [rbx], rax; lea rax, [rcx]"},
      {"4889030f1f01", "mov [rbx], rax; nop [rcx]"},
      {"4889030f1809", "mov [rbx], rax; prefetcht0 [rcx]"},
  };
  for (const Case& each : kCases) EXPECT_FALSE(aliases(each)) << each.text;
}

TEST(MayAlias, IsSettledByTheCodeWithTheSameRegisters) {
  constexpr Case kCases[] = {
      {"488903488b4b08", "mov [rbx], rax; mov rcx, [rbx + 8]"},
      {"488903488b0b", "mov [rbx], rax; mov rcx, [rbx]"},
      {"480103", "add [rbx], rax"},
      {"48830301", "add qword ptr [rbx], 1"},
      {"488b03488903", "mov rax, [rbx]; mov [rbx], rax"},
      {"488b034889034883c308", "mov rax, [rbx]; mov [rbx], rax; add rbx, 8"},
      {"488b03488d5b08488903", "mov rax, [rbx]; lea rbx, [rbx + 8]; mov [rbx], rax"},
      {"488b03488943f848ffcb", "mov rax, [rbx]; mov [rbx - 8], rax; dec rbx"},
      {"505b", "push rax; pop rbx"},
      {"50488b4c2418", "push rax; mov rcx, [rsp + 24]"},
      {"4889d9488b03488901", "mov rcx, rbx; mov rax, [rbx]; mov [rcx], rax"},
      {"488b0510000000488905f0000000", "mov rax, [rip + 16]; mov [rip + 240], rax"},
      {"64488b042528000000644889042530000000", "mov rax, fs:[40]; mov fs:[48], rax"},
  };
  for (const Case& each : kCases) EXPECT_FALSE(aliases(each)) << each.text;
}

TEST(MayAlias, IsPossibleThroughDifferentRegisters) {
  constexpr Case kCases[] = {
      {"488b03488901", "mov rax, [rbx]; mov [rcx], rax"},
      {"488901488b03", "mov [rcx], rax; mov rax, [rbx]: in the copy after"},
      {"488b03488b01488903", "mov rax, [rbx]; mov rax, [rcx]; mov [rbx], rax"},
      {"488b048b4889048b488b03", "mov rax, [rbx + 4*rcx]; ...; mov rax, [rbx]"},
      {"488b048b488904cb", "mov rax, [rbx + 4*rcx]; mov [rbx + 8*rcx], rax"},
      {"53488b01", "push rbx; mov rax, [rcx]"},
      {"488b0510000000488903", "mov rax, [rip + 16]; mov [rbx], rax"},
      {"488b05100000004889042500100000", "mov rax, [rip + 16]; mov [4096], rax"},
      {"64488b03488903", "mov rax, fs:[rbx]; mov [rbx], rax"},
      {"67488b03488903", "mov rax, [ebx]; mov [rbx], rax"},
  };
  for (const Case& each : kCases) EXPECT_TRUE(aliases(each)) << each.text;
}

TEST(MayAlias, IsPossibleWhereARegisterHasGotAnotherValue) {
  constexpr Case kCases[] = {
      {"488b1b488903", "mov rbx, [rbx]; mov [rbx], rax"},
      {"488b034889034801cb", "mov rax, [rbx]; mov [rbx], rax; add rbx, rcx"},
      {"488b03488903ffc3", "mov rax, [rbx]; mov [rbx], rax; inc ebx"},
      {"488b0348890389db", "mov rax, [rbx]; mov [rbx], rax; mov ebx, ebx"},
      {"488b03488903480f44d9", "mov rax, [rbx]; mov [rbx], rax; cmove rbx, rcx"},
      {"488b03488903b301", "mov rax, [rbx]; mov [rbx], rax; mov bl, 1"},
      {"488b034889034887d9", "mov rax, [rbx]; mov [rbx], rax; xchg rcx, rbx"},
      {"488b034889035b", "mov rax, [rbx]; mov [rbx], rax; pop rbx"},
      {"f348a5", "rep movsq"},
      {"4889471048af", "mov [rdi + 16], rax; scasq"},
      {"8807ae488b0f", "mov [rdi], al; scasb; mov rcx, [rdi]"},
      {"488946104887d1a6", "mov [rsi + 16], rax; xchg rcx, rdx; cmpsb"},
      {"880748a7488b0f", "mov [rdi], al; cmpsq; mov rcx, [rdi]"},
      {"8806ac488b0e", "mov [rsi], al; lodsb; mov rcx, [rsi]"},
      {"480fab03488b03", "bts [rbx], rax; mov rax, [rbx]"},
  };
  for (const Case& each : kCases) EXPECT_TRUE(aliases(each)) << each.text;
}

TEST(MayAlias, FollowsRegistersFromCopyToCopy) {
  constexpr Case kSettled[] = {
      {"488b034889014889d14889d3",
       "mov rax, [rbx]; mov [rcx], rax; mov rcx, rdx; mov rbx, rdx: the same from then on"},
      {"488b034889034889cb", "mov rax, [rbx]; mov [rbx], rax; mov rbx, rcx"},
      {"31db488b03488903", "xor ebx, ebx; mov rax, [rbx]; mov [rbx], rax"},
      {"bb00100000488b03488903", "mov ebx, 4096; mov rax, [rbx]; mov [rbx], rax"},
      {"488d1d00100000488b03488903", "lea rbx, [rip + 4096]; mov rax, [rbx]; mov [rbx], rax"},
  };
  for (const Case& each : kSettled) EXPECT_FALSE(aliases(each)) << each.text;
  constexpr Case kOpen[] = {
      // rbx, rcx and rdx go round in a circle.
      {"488b034889034989d84889cb4889d14c89c2",
       "mov rax, [rbx]; mov [rbx], rax; mov r8, rbx; mov rbx, rcx; mov rcx, rdx; mov rdx, r8"},
      {"488b034889034889cb4889d1488b16",
       "mov rax, [rbx]; mov [rbx], rax; mov rbx, rcx; mov rcx, rdx; mov rdx, [rsi]"},
  };
  for (const Case& each : kOpen) EXPECT_TRUE(aliases(each)) << each.text;
}

}  // namespace
}  // namespace assay

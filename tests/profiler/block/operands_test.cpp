#include "profiler/block/operands.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

AddressRegisters distinct_registers() {
  AddressRegisters registers;
  for (std::size_t i = 0; i < registers.general.size(); ++i) {
    registers.general[i] = 0x10'0000 * (i + 1);
  }
  registers.rip = 0x40'0000'0000;
  registers.fs_base = 0x7000'0000'0000;
  registers.gs_base = 0x6000'0000'0000;
  return registers;
}

constexpr std::uint64_t kInRax = 0x10'0000;
constexpr std::uint64_t kInRcx = 0x20'0000;
constexpr std::uint64_t kInRbx = 0x40'0000;
constexpr std::uint64_t kInRsp = 0x50'0000;
constexpr std::uint64_t kInRbp = 0x60'0000;
constexpr std::uint64_t kInRsi = 0x70'0000;
constexpr std::uint64_t kInRdi = 0x80'0000;

std::vector<MemoryAccess> accesses(const char* hex,
                                   const AddressRegisters& registers = distinct_registers()) {
  return memory_accesses(bytes_from_hex(hex), registers);
}

MemoryAccess only_access(const char* hex,
                         const AddressRegisters& registers = distinct_registers()) {
  const auto found = accesses(hex, registers);
  EXPECT_EQ(found.size(), 1u) << hex;
  return found.empty() ? MemoryAccess{} : found.front();
}

TEST(MemoryAccesses, AddsBaseIndexAndDisplacement) {
  const MemoryAccess access = only_access("488b4c9808");  // mov rcx, [rax + 4*rbx + 8]
  EXPECT_EQ(access.address, kInRax + 4 * kInRbx + 8);
  EXPECT_EQ(access.size, 8);
  EXPECT_TRUE(access.canonical);
  EXPECT_FALSE(access.misaligned());
}

TEST(MemoryAccesses, AddsSegmentBases) {
  EXPECT_EQ(only_access("648b00").address, 0x7000'0000'0000 + kInRax);
  EXPECT_EQ(only_access("658b042528000000").address, 0x6000'0000'0028);
}

TEST(MemoryAccesses, CountsRipFromTheNextInstruction) {
  EXPECT_EQ(only_access("488b0510000000").address, 0x40'0000'0000u + 7 + 16);
}

TEST(MemoryAccesses, TruncatesAddressesOf32Bits) {
  AddressRegisters registers = distinct_registers();
  registers.general[0] = 0x1'ffff'fff8;
  EXPECT_EQ(only_access("678b4010", registers).address, 0x8u);
  EXPECT_EQ(only_access("8b4010", registers).address, 0x2'0000'0008u);
}

TEST(MemoryAccesses, ScaledDisplacementsOfEvex) {
  EXPECT_EQ(only_access("62f17448584001").address, kInRax + 64);
  EXPECT_EQ(only_access("62f17458584001").size, 4);  // {1to16}
}

TEST(MemoryAccesses, PushesWriteBelowTheStackPointer) {
  const MemoryAccess push = only_access("50");
  EXPECT_EQ(push.address, kInRsp - 8);
  EXPECT_EQ(push.size, 8);
  EXPECT_EQ(only_access("6650").address, kInRsp - 2);
  EXPECT_EQ(only_access("9c").address, kInRsp - 8);
  EXPECT_EQ(only_access("c8100000").address, kInRsp - 8);
}

TEST(MemoryAccesses, PushOfMemoryReadsAndWrites) {
  const auto found = accesses("ff742408");  // push [rsp + 8]
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].address, kInRsp + 8);
  EXPECT_EQ(found[1].address, kInRsp - 8);
}

TEST(MemoryAccesses, PopsReadTheStackPointer) {
  EXPECT_EQ(only_access("58").address, kInRsp);
  EXPECT_EQ(only_access("9d").address, kInRsp);
  EXPECT_EQ(only_access("c9").address, kInRbp);  // leave
}

// The destination's address is computed after the increment.
TEST(MemoryAccesses, PopToTheStack) {
  const auto found = accesses("8f442408");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].address, kInRsp + 8 + 8);
  EXPECT_EQ(found[1].address, kInRsp);
}

TEST(MemoryAccesses, StoresToTheStackAreNoPushes) {
  EXPECT_EQ(only_access("48890424").address, kInRsp);
}

TEST(MemoryAccesses, StringInstructionsHaveBoth) {
  const auto found = accesses("f3a5");  // rep movsd
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].address, kInRdi);
  EXPECT_EQ(found[1].address, kInRsi);
  EXPECT_EQ(found[0].size, 4);
}

TEST(MemoryAccesses, XlatAddsAl) {
  AddressRegisters registers = distinct_registers();
  registers.general[0] = 0xabcd'12ff;
  EXPECT_EQ(only_access("d7", registers).address, kInRbx + 0xff);
}

TEST(MemoryAccesses, BitStringsReachBeyondTheirOperand) {
  AddressRegisters registers = distinct_registers();
  registers.general[1] = 1000;  // bits
  EXPECT_EQ(only_access("480fa308", registers).address, kInRax + 1000 / 64 * 8);
  registers.general[1] = static_cast<std::uint64_t>(-1);
  EXPECT_EQ(only_access("480fa308", registers).address, kInRax - 8);
  EXPECT_EQ(only_access("0fab08", registers).address, kInRax - 4);
  registers.general[1] = 0xffff'0011;  // of 16 bits, only these: 0x0011
  EXPECT_EQ(only_access("660fa308", registers).address, kInRax + 2);
  EXPECT_EQ(only_access("480fba2005", registers).address, kInRax);  // an immediate wraps
}

TEST(MemoryAccesses, ClzeroClearsTheLineAroundRax) {
  AddressRegisters registers = distinct_registers();
  registers.general[0] = 0x1234'5678;
  const MemoryAccess access = only_access("0f01fc", registers);
  EXPECT_EQ(access.address, 0x1234'5640u);
  EXPECT_EQ(access.size, 64);
  EXPECT_TRUE(access.canonical);
}

TEST(MemoryAccesses, NoneForAddressesHintsGathersAndJunk) {
  for (const char* hex :
       {"488d00", "0f1f00", "0f1808", "0f0d08", "c4e26d900488", "4801d8", "06", "", "48"}) {
    EXPECT_TRUE(accesses(hex).empty()) << hex;
  }
}

TEST(MemoryAccesses, IgnoresWhatFollowsTheInstruction) {
  EXPECT_EQ(only_access("8b0006060606").address, kInRax);
}

TEST(Canonical, BothEndsCount) {
  AddressRegisters registers;
  const auto at = [&](std::uint64_t address) {
    registers.general[0] = address;
    return only_access("488b00", registers).canonical;
  };
  EXPECT_TRUE(at(0));
  EXPECT_TRUE(at(0x7fff'ffff'fff8));
  EXPECT_FALSE(at(0x7fff'ffff'fff9));
  EXPECT_FALSE(at(0x8000'0000'0000));
  EXPECT_FALSE(at(0xffff'7fff'ffff'fff8));
  EXPECT_FALSE(at(0xffff'7fff'ffff'ffff));  // its other bytes are canonical
  EXPECT_TRUE(at(0xffff'8000'0000'0000));
  EXPECT_FALSE(at(0x1234'5678'9abc'def0));
}

TEST(Alignment, WhatFaultsOffItsBoundary) {
  const struct {
    const char* hex;
    int alignment;
  } cases[] = {
      {"0f2800", 16},        // movaps
      {"660f6f00", 16},      // movdqa
      {"660fe700", 16},      // movntdq
      {"0f2b00", 16},        // movntps
      {"660f382a00", 16},    // movntdqa
      {"0f5800", 16},        // addps
      {"660fef00", 16},      // pxor
      {"660f380000", 16},    // pshufb
      {"660f38dc00", 16},    // aesenc
      {"0f38cb00", 16},      // sha256rnds2
      {"660f3a4400ff", 16},  // pclmulqdq
      {"f20f1200", 1},       // movddup: 8 bytes
      {"f30f1200", 16},      // movsldup
      {"0f1000", 1},         // movups
      {"660f1000", 1},       // movupd
      {"f30f6f00", 1},       // movdqu
      {"f20ff000", 1},       // lddqu
      {"660f3a6300ff", 1},   // pcmpistri
      {"660ff7c1", 1},       // maskmovdqu
      {"f20f5800", 1},       // addsd
      {"660fd600", 1},       // movq
      {"0f1200", 1},         // movlps
      {"c5fc5800", 1},       // vaddps ymm
      {"c5f82800", 16},      // vmovaps xmm
      {"c5fc2800", 32},      // vmovaps ymm
      {"62f17c482800", 64},  // vmovaps zmm
      {"62f1fd486f00", 64},  // vmovdqa64 zmm
      {"62f17d286f00", 32},  // vmovdqa32 ymm
      {"c5fd6f00", 32},      // vmovdqa ymm
      {"c5fe6f00", 1},       // vmovdqu ymm
      {"c5fd2b00", 32},      // vmovntpd ymm
      {"c5fde700", 32},      // vmovntdq ymm
      {"0fae00", 16},        // fxsave
      {"0fae20", 64},        // xsave
      {"0fc720", 64},        // xsavec
      {"480fc708", 16},      // cmpxchg16b
      {"0fc708", 1},         // cmpxchg8b
      {"488b00", 1},         // mov
  };
  for (const auto& test : cases) {
    AddressRegisters registers = distinct_registers();
    EXPECT_EQ(only_access(test.hex, registers).alignment, test.alignment) << test.hex;
    EXPECT_FALSE(only_access(test.hex, registers).misaligned()) << test.hex;
    for (std::uint64_t& value : registers.general) value += 8;
    EXPECT_EQ(only_access(test.hex, registers).misaligned(), test.alignment > 8) << test.hex;
  }
}

TEST(Alignment, Movdir64bAlignsItsDestinationOnly) {
  const auto found = accesses("660f38f801");  // movdir64b rax, [rcx]
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].address, kInRcx);
  EXPECT_EQ(found[0].alignment, 1);
  EXPECT_EQ(found[1].address, kInRax);
  EXPECT_EQ(found[1].alignment, 64);
}

}  // namespace
}  // namespace assay

#include "profiler/codegen/emitter.h"

#include <gtest/gtest.h>

#include <functional>
#include <variant>

#include "profiler/support/error.h"

namespace assay {
namespace {

using enum GeneralRegister;

constexpr std::uint64_t kHere = 0x1000;
constexpr std::uint64_t kTarget = 0x2000;

std::string emitted(const std::function<void(Emitter&)>& emit) {
  Emitter emitter(kHere);
  emit(emitter);
  return hex_from_bytes(emitter.code());
}

// The expected bytes are what GNU as makes of the instruction in the comment beside or above them,
// at address 0x1000.
TEST(Emitter, GeneralRegisters) {
  // mov esp, 0x12345600
  EXPECT_EQ(emitted([](Emitter& e) { e.move_immediate(kRsp, 0x12345600); }), "bc00563412");
  // mov r9d, 0xffffffff
  EXPECT_EQ(emitted([](Emitter& e) { e.move_immediate(kR9, 0xffffffff); }), "41b9ffffffff");
  // movabs r9, 0x123456789abcdef0
  EXPECT_EQ(emitted([](Emitter& e) { e.move_immediate(kR9, 0x123456789abcdef0); }),
            "49b9f0debc9a78563412");
  // mov r15d, eax; with a REX that changes nothing, mov ecx, eax
  EXPECT_EQ(emitted([](Emitter& e) { e.move_low_half(kR15, kRax); }), "4189c7");
  EXPECT_EQ(emitted([](Emitter& e) { e.move_low_half(kRcx, kRax); }), "4089c1");
}

TEST(Emitter, Readings) {
  EXPECT_EQ(emitted([](Emitter& e) { e.rdtsc(); }), "0f31");
  EXPECT_EQ(emitted([](Emitter& e) { e.rdpmc(); }), "0f33");
  // sub eax, r15d; with a REX that changes nothing, sub eax, edx
  EXPECT_EQ(emitted([](Emitter& e) { e.subtract_low_half(kRax, kR15); }), "4429f8");
  EXPECT_EQ(emitted([](Emitter& e) { e.subtract_low_half(kRax, kRdx); }), "4029d0");
  EXPECT_EQ(emitted([](Emitter& e) { e.square_low_half(kRdx); }), "0fafd2");
  EXPECT_EQ(emitted([](Emitter& e) { e.square_low_half(kR9); }), "450fafc9");
  EXPECT_EQ(emitted([](Emitter& e) { e.add_low_half(kRcx, kRax); }), "408d0c01");
  EXPECT_EQ(emitted([](Emitter& e) { e.add_low_half(kR8, kR10); }), "478d0410");
}

TEST(Emitter, WhatLoopsNeed) {
  // lea r13, [r13 + 1]; lea r12, [r12 + 1]; lea rcx, [rcx + 1]
  EXPECT_EQ(emitted([](Emitter& e) { e.increment(kR13); }), "4d8d6d01");
  EXPECT_EQ(emitted([](Emitter& e) { e.increment(kR12); }), "4d8d642401");
  EXPECT_EQ(emitted([](Emitter& e) { e.increment(kRcx); }), "488d4901");
  // mov [rax], cl; cx; ecx; rcx
  EXPECT_EQ(emitted([](Emitter& e) { e.store_rcx_at_rax(1); }), "8808");
  EXPECT_EQ(emitted([](Emitter& e) { e.store_rcx_at_rax(2); }), "668908");
  EXPECT_EQ(emitted([](Emitter& e) { e.store_rcx_at_rax(4); }), "8908");
  EXPECT_EQ(emitted([](Emitter& e) { e.store_rcx_at_rax(8); }), "488908");
  EXPECT_EQ(emitted([](Emitter& e) { e.mfence(); }), "0faef0");
}

TEST(Emitter, MemoryByRipRelativeAddress) {
  EXPECT_EQ(emitted([](Emitter& e) { e.load(kRsp, kTarget); }), "488b25f90f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.store(kRsp, kTarget); }), "488925f90f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.store_low_half(kR15, kTarget); }), "44893df90f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.store_low_half(kRax, kTarget); }), "408905f90f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.load_mxcsr(kTarget); }), "0fae15f90f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.load(kR15, kTarget); }), "4c8b3df90f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.store(kR9, kTarget); }), "4c890df90f0000");
}

TEST(Emitter, ControlFlow) {
  EXPECT_EQ(emitted([](Emitter& e) { e.jump_through(kTarget); }), "ff25fa0f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.clear_arithmetic_flags(); }), "b80100000083c000");
  EXPECT_EQ(emitted([](Emitter& e) { e.decrement(kR13); }), "49ffcd");
  EXPECT_EQ(emitted([](Emitter& e) { e.decrement(kRcx); }), "48ffc9");
  EXPECT_EQ(emitted([](Emitter& e) { e.jump(kTarget); }), "e9fb0f0000");
  // rex.W ljmp *0x2000(%rip)
  EXPECT_EQ(emitted([](Emitter& e) { e.far_jump(kTarget); }), "48ff2df90f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.jump_if_zero(kTarget); }), "0f84fa0f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.jump_if_not_zero(kTarget); }), "0f85fa0f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.jump_if_not_zero(kHere - 126); }), "7580");
  EXPECT_EQ(emitted([](Emitter& e) { e.jump_if_not_zero(kHere - 127); }), "0f857bffffff");
}

TEST(Emitter, ChangesWhatStandsThere) {
  Emitter emitter(kHere);
  emitter.constant(0x1122334455667788, 8);
  emitter.patch(kHere + 2, 0xaabb, 2);
  EXPECT_EQ(hex_from_bytes(emitter.code()), "8877bbaa44332211");
  emitter.cut(kHere + 3);
  EXPECT_EQ(hex_from_bytes(emitter.code()), "8877bb");
  EXPECT_EQ(emitter.address(), kHere + 3);
}

TEST(Emitter, Vectors) {
  EXPECT_EQ(emitted([](Emitter& e) { e.zero_vector(1); }), "400f57c9");
  EXPECT_EQ(emitted([](Emitter& e) { e.zero_vector(9); }), "450f57c9");
  EXPECT_EQ(emitted([](Emitter& e) { e.zero_low_vectors(); }), "c5fc77");
  EXPECT_EQ(emitted([](Emitter& e) { e.zero_high_vector(16); }), "62a17d00efc0");
  EXPECT_EQ(emitted([](Emitter& e) { e.zero_high_vector(29); }), "62011500efed");
  EXPECT_EQ(emitted([](Emitter& e) { e.load_mmx(7, kTarget); }), "0f6f3df90f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.load_xmm(1, kTarget); }), "400f100df80f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.load_xmm(9, kTarget); }), "440f100df80f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.load_ymm(3, kTarget, false); }), "c5f8101df80f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.load_ymm(3, kTarget, true); }), "c5fc101df80f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.load_ymm(12, kTarget, true); }), "c57c1025f80f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.load_zmm(3, kTarget, 512); }), "62f17c48101df60f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.load_zmm(12, kTarget, 512); }), "62717c481025f60f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.load_zmm(19, kTarget, 256); }), "62e17c28101df60f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.load_zmm(28, kTarget, 128); }), "62617c081025f60f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.move_eax_to_vector(13, true); }), "c5796ee8");
  EXPECT_EQ(emitted([](Emitter& e) { e.move_eax_to_vector(13, false); }), "66440f6ee8");
  EXPECT_EQ(emitted([](Emitter& e) { e.move_eax_to_vector(19, true); }), "62e17d086ed8");
  EXPECT_EQ(emitted([](Emitter& e) { e.move_eax_to_vector(28, true); }), "62617d086ee0");
  EXPECT_EQ(emitted([](Emitter& e) { e.move_vector_to_low_half(kRdx, 13, true); }), "c5797eea");
  EXPECT_EQ(emitted([](Emitter& e) { e.move_vector_to_low_half(kRdx, 13, false); }), "66440f7eea");
  EXPECT_EQ(emitted([](Emitter& e) { e.move_vector_to_low_half(kRax, 28, true); }), "62617d087ee0");
  EXPECT_EQ(emitted([](Emitter& e) { e.set_mask_ones(5); }), "c4e1d446ed");
  EXPECT_EQ(emitted([](Emitter& e) { e.zero_upper_vectors(); }), "c5f877");
}

TEST(Emitter, StoresOfWhatATraceKeeps) {
  EXPECT_EQ(emitted([](Emitter& e) { e.store_ymm(3, kTarget, true); }), "c5fc111df80f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.store_ymm(12, kTarget, false); }), "c5781125f80f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.store_zmm(3, kTarget, 512); }), "62f17c48111df60f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.store_zmm(19, kTarget, 256); }), "62e17c28111df60f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.store_zmm(28, kTarget, 128); }), "62617c081125f60f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.store_mask(5, kTarget); }), "c5f8912df80f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.store_mxcsr(kTarget); }), "0fae1df90f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.store_x87_status(kTarget); }), "dd3dfa0f0000");
  EXPECT_EQ(emitted([](Emitter& e) { e.clear_x87_exceptions(); }), "dbe2");
}

TEST(Emitter, AlignsWithWholeNops) {
  for (std::uint64_t start = 0; start < 64; ++start) {
    for (const std::uint64_t remainder : {0, 1, 50}) {
      Emitter emitter(start);
      emitter.align(64, remainder);
      EXPECT_EQ(emitter.address() % 64, remainder);
      EXPECT_LT(emitter.size(), 64U);
      if (emitter.size() == 0) continue;
      const auto decoded = decode(emitter.code());
      ASSERT_TRUE(std::holds_alternative<Block>(decoded)) << emitter.size();
      EXPECT_LE(std::get<Block>(decoded).instructions.size(), emitter.size() / 9 + 1);
    }
  }
}

TEST(Emitter, RefusesWhatIsOutOfReach) {
  Emitter emitter(kHere);
  EXPECT_THROW(emitter.load(kRsp, kHere + (std::uint64_t{1} << 32)), Error);
}

}  // namespace
}  // namespace assay

#include "profiler/block/memory_operand.h"

#include <gtest/gtest.h>

#include "profiler/block/bytes.h"
#include "profiler/machine/features.h"

namespace assay {
namespace {

using enum GeneralRegister;

std::vector<MemoryOperand> operands(const char* hex) {
  return memory_operands(bytes_from_hex(hex));
}

MemoryOperand only_operand(const char* hex) {
  const auto found = operands(hex);
  EXPECT_EQ(found.size(), 1U) << hex;
  return found.empty() ? MemoryOperand{} : found.front();
}

constexpr std::uint16_t set_of(std::initializer_list<GeneralRegister> registers) {
  unsigned set = 0;
  for (const GeneralRegister reg : registers) set |= 1U << static_cast<int>(reg);
  return static_cast<std::uint16_t>(set);
}

TEST(MemoryOperands, TellReadsFromWrites) {
  const struct {
    const char* hex;
    bool read;
    bool write;
  } cases[] = {
      {"488b03", true, false},    // mov rax, [rbx]
      {"488903", false, true},    // mov [rbx], rax
      {"480103", true, true},     // add [rbx], rax
      {"483b03", true, false},    // cmp rax, [rbx]
      {"480fb10b", true, true},   // cmpxchg [rbx], rcx
      {"0f4503", true, false},    // cmovne eax, [rbx]
      {"50", false, true},        // push rax
      {"58", true, false},        // pop rax
      {"aa", false, true},        // stosb
      {"ac", true, false},        // lodsb
      {"d7", true, false},        // xlat
      {"c9", true, false},        // leave
      {"0f01fc", false, true},    // clzero
      {"660ff7ca", false, true},  // maskmovdqu
      {"0f9403", false, true},    // sete [rbx]
  };
  for (const auto& test : cases) {
    EXPECT_EQ(only_operand(test.hex).read, test.read) << test.hex;
    EXPECT_EQ(only_operand(test.hex).write, test.write) << test.hex;
  }
}

TEST(MemoryOperands, OfClzeroLieInTheSegmentThatPrefixesName) {
  using Segment = MemoryOperand::Segment;
  EXPECT_EQ(only_operand("0f01fc").segment, Segment::kNone);
  EXPECT_EQ(only_operand("640f01fc").segment, Segment::kFs);
  EXPECT_EQ(only_operand("650f01fc").segment, Segment::kGs);
  EXPECT_EQ(only_operand("642e0f01fc").segment, Segment::kFs);
  EXPECT_EQ(only_operand("2e640f01fc").segment, Segment::kFs);
  EXPECT_EQ(only_operand("6764650f01fc").segment, Segment::kGs);
}

TEST(MemoryOperands, AreAsWideAsTheAddressSizeButForTheStack) {
  EXPECT_TRUE(only_operand("678b0ccb").address_32);                   // mov ecx, [ebx + 8*ecx]
  EXPECT_TRUE(only_operand("67aa").address_32);                       // stosb, at EDI
  EXPECT_TRUE(only_operand("67d7").address_32);                       // xlat, at EBX
  EXPECT_TRUE(only_operand("678b0424").address_32);                   // mov eax, [esp]
  for (const char* const stack : {"6750", "6758", "679c", "67c9"}) {  // push, pop, pushf, leave
    EXPECT_FALSE(only_operand(stack).address_32) << stack;
  }
  const auto both = operands("678f03");  // pop [ebx]
  ASSERT_EQ(both.size(), 2U);
  EXPECT_NE(both[0].address_32, both[1].address_32);
}

TEST(MemoryOperands, NameTheRegistersOfTheirAddress) {
  EXPECT_EQ(only_operand("4a8b44b310").general_registers(), set_of({kRbx, kR14}));
  EXPECT_EQ(only_operand("678b0ccb").general_registers(), set_of({kRbx, kRcx}));
  EXPECT_EQ(only_operand("480fa30b").general_registers(), set_of({kRbx, kRcx}));  // bt
  EXPECT_EQ(only_operand("50").general_registers(), set_of({kRsp}));
  EXPECT_EQ(only_operand("d7").general_registers(), set_of({kRbx, kRax}));
  EXPECT_EQ(only_operand("0f01fc").general_registers(), set_of({kRax}));
  EXPECT_EQ(only_operand("488b0d34120000").general_registers(), 0);  // rip
  EXPECT_EQ(only_operand("64488b0c2528000000").general_registers(), 0);
  // mov eax, [r10d + 2174], with REX.B, which names no base
  EXPECT_EQ(only_operand("67438b04157e080000").general_registers(), set_of({kR10}));
  EXPECT_EQ(only_operand("67438b04157e080000").displacement, 2174U);
  EXPECT_EQ(only_operand("67418b0425f0ffffff").displacement, std::uint64_t(-16));
}

TEST(MemoryOperands, APopToMemoryWithoutABaseReadsTheStackToo) {
  const auto found = operands("8f041500200000");  // pop qword ptr [rdx + 8192]
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].general_registers(), set_of({kRdx}));
  EXPECT_EQ(found[1].general_registers(), set_of({kRsp}));
}

TEST(MemoryOperands, ASegmentPrefixIsNotForTheDestinationOfMovdir64b) {
  const auto found = operands("66650f38f801");  // movdir64b rax, gs:[rcx]
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].segment, MemoryOperand::Segment::kGs);
  EXPECT_EQ(found[1].segment, MemoryOperand::Segment::kNone);
}

TEST(MemoryOperands, XsaveStoresMoreThanItsHeaderWhereThereIsMoreToStore) {
  for (const char* hex : {"0fae23", "0fae33", "0fc723"}) {  // xsave, xsaveopt, xsavec
    EXPECT_GE(only_operand(hex).size, 576) << hex;
    // The upper halves of 16 YMM registers stand behind it.
    if (!features().avx) continue;
    EXPECT_GE(only_operand(hex).size, 576 + 256) << hex;
  }
}

TEST(MemoryOperands, RepetitionIsOfStringInstructionsOnly) {
  for (const MemoryOperand& operand : operands("f3a4")) EXPECT_TRUE(operand.repeated);  // rep movsb
  EXPECT_TRUE(only_operand("f2ae").repeated);                                           // scasb
  for (const MemoryOperand& operand : operands("a4")) EXPECT_FALSE(operand.repeated);
  EXPECT_FALSE(only_operand("f30fb803").repeated);  // popcnt eax, [rbx]
  EXPECT_FALSE(only_operand("f20f1003").repeated);  // movsd xmm0, [rbx]
}

VectorIndex index_of(const char* hex) {
  return only_operand(hex).vector_index.value_or(VectorIndex{});
}

TEST(MemoryOperands, GathersHaveAnElementForEachLane) {
  // vgatherqps xmm0, [rax + 2*ymm3], xmm4
  const VectorIndex quad = index_of("c4e25d930458");
  EXPECT_EQ(quad.reg, 3);
  EXPECT_EQ(quad.bits, 256);
  EXPECT_EQ(quad.lane_bits, 64);
  EXPECT_EQ(quad.lanes, 4);
  EXPECT_EQ(quad.mask, 4);
  EXPECT_EQ(quad.mask_bits, 128);
  EXPECT_EQ(quad.scale, 2);
  EXPECT_FALSE(quad.evex);
  EXPECT_EQ(only_operand("c4e25d930458").size, 4);
  EXPECT_TRUE(only_operand("c4e25d930458").read);
  EXPECT_FALSE(only_operand("c4e25d930458").write);

  // vgatherdpd xmm0, [rbx + 8*xmm1], xmm2: half of the indices are left over
  EXPECT_EQ(index_of("c4e2e99204cb").lane_bits, 32);
  EXPECT_EQ(index_of("c4e2e99204cb").lanes, 2);
  EXPECT_EQ(only_operand("c4e2e99204cb").size, 8);
}

TEST(MemoryOperands, ScattersWriteUnderAnOpmask) {
  // vpscatterqd [rax + 8*zmm17] {k3}, ymm3
  const VectorIndex index = index_of("62f27d43a11cc8");
  EXPECT_EQ(index.reg, 17);
  EXPECT_EQ(index.bits, 512);
  EXPECT_EQ(index.lane_bits, 64);
  EXPECT_EQ(index.lanes, 8);
  EXPECT_TRUE(index.evex);
  EXPECT_EQ(index.mask, 3);
  EXPECT_EQ(only_operand("62f27d43a11cc8").size, 4);
  EXPECT_TRUE(only_operand("62f27d43a11cc8").write);
  EXPECT_FALSE(only_operand("62f27d43a11cc8").read);
  EXPECT_EQ(index_of("62f2fd49900488").lanes, 8);  // vpgatherdq zmm0 {k1}, [rax + 4*ymm1]
}

}  // namespace
}  // namespace assay

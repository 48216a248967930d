#include <gtest/gtest.h>

#include <ostream>

#include "profiler/block/block.h"

namespace assay {
namespace {

constexpr std::uint16_t kRax = 1 << 0;
constexpr std::uint16_t kRcx = 1 << 1;
constexpr std::uint16_t kRdx = 1 << 2;
constexpr std::uint16_t kRbx = 1 << 3;
constexpr std::uint16_t kRsp = 1 << 4;
constexpr std::uint16_t kRbp = 1 << 5;
constexpr std::uint16_t kRsi = 1 << 6;
constexpr std::uint16_t kRdi = 1 << 7;
constexpr std::uint16_t kR8 = 1 << 8;
constexpr std::uint16_t kR15 = 1 << 15;

struct Use {
  const char* hex;
  int general;
  std::uint32_t vector;
  int widest;
  const char* what;
};
void PrintTo(const Use& use, std::ostream* out) { *out << use.what; }

constexpr Use kUses[] = {
    {"4801d8", kRax | kRbx, 0, 0, "add rax, rbx"},
    {"00e3", kRax | kRbx, 0, 0, "add bl, ah"},
    {"4000f7", kRsi | kRdi, 0, 0, "add dil, sil"},
    {"4701c7", kR15 | kR8, 0, 0, "add r15d, r8d"},
    {"48034c9808", kRax | kRbx | kRcx, 0, 0, "add rcx, [rax + 4*rbx + 8]"},
    {"67034c9808", kRax | kRbx | kRcx, 0, 0, "add ecx, [eax + 4*ebx + 8]"},
    {"f7e1", kRax | kRdx | kRcx, 0, 0, "mul ecx"},
    {"d3e0", kRax | kRcx, 0, 0, "shl eax, cl"},
    {"50", kRax | kRsp, 0, 0, "push rax"},
    {"c9", kRbp | kRsp, 0, 0, "leave"},
    {"c8100000", kRbp | kRsp, 0, 0, "enter 16, 0"},
    {"a4", kRsi | kRdi, 0, 0, "movsb"},
    {"f3a4", kRsi | kRdi | kRcx, 0, 0, "rep movsb"},
    {"f2ae", kRax | kRdi | kRcx, 0, 0, "repne scasb"},
    {"d7", kRax | kRbx, 0, 0, "xlat"},
    {"480fc70e", kRax | kRbx | kRcx | kRdx | kRsi, 0, 0, "cmpxchg16b [rsi]"},
    {"c4e2fbf6c3", kRax | kRbx | kRdx, 0, 0, "mulx rax, rax, rbx"},
    {"0f31", kRax | kRdx, 0, 0, "rdtsc"},
    {"0f01fc", kRax, 0, 0, "clzero"},
    {"e2fe", kRcx, 0, 0, "loop"},
    {"0f44c3", kRax | kRbx, 0, 0, "cmove eax, ebx"},
    {"488b0500010000", kRax, 0, 0, "mov rax, [rip + 256]"},
    {"0f58c1", 0, 0b11, 0, "addps xmm0, xmm1"},
    {"440f58fb", 0, 1u << 15 | 1u << 3, 0, "addps xmm15, xmm3"},
    {"660f380801", kRcx, 1, 0, "psignb xmm0, [rcx]"},
    {"660f3810d1", 0, 0b111, 0, "pblendvb xmm2, xmm1, xmm0"},
    {"0f38cbd1", 0, 0b111, 0, "sha256rnds2 xmm2, xmm1, xmm0"},
    {"660f3a62c100", 0, 0b11, 0, "pcmpistrm (xmm0 implicit)"},
    {"660f3a61c100", kRax | kRdx | kRcx, 0b11, 0, "pcmpestri"},
    {"660ff7c1", kRdi, 0b11, 0, "maskmovdqu"},
    {"c5f058c2", 0, 0b111, 128, "vaddps xmm0, xmm1, xmm2"},
    {"c5f458c2", 0, 0b111, 256, "vaddps ymm0, ymm1, ymm2"},
    {"62f1744858c2", 0, 0b111, 512, "vaddps zmm0, zmm1, zmm2"},
    {"6201740058c6", 0, 1u << 30 | 1u << 24 | 1u << 17, 128, "vaddps xmm24, xmm17, xmm30"},
    {"c4e26d900488", kRax, 0b111, 256, "vpgatherdd ymm0, [rax + 4*ymm1], ymm2"},
    {"c5f96ec0", kRax, 1, 128, "vmovd xmm0, eax"},
    {"8fe97882c1", 0, 0b11, 128, "vfrczss xmm0, xmm1 (XOP)"},
    {"c5f877", 0, 0xffff, 256, "vzeroupper"},
    {"c5fc77", 0, 0xffff, 256, "vzeroall"},
    {"0fae03", kRbx, 0xffff, 0, "fxsave [rbx]"},
    {"0fae23", kRax | kRdx | kRbx, 0xffff'ffff, 0, "xsave [rbx]"},
    {"62f27f489a00", kRax, 0b1111, 512, "v4fmaddps zmm0, zmm0 to zmm3, [rax]"},
    {"d8c1", 0, 0, 0, "fadd st, st(1)"},
    {"0ffcc1", 0, 0, 0, "paddb mm0, mm1"},
};

class Registers : public testing::TestWithParam<Use> {};

TEST_P(Registers, AreAllNamed) {
  const auto decoded = decode(bytes_from_hex(GetParam().hex));
  ASSERT_TRUE(std::holds_alternative<Block>(decoded)) << std::get<Refusal>(decoded).outcome.detail;
  const RegisterUse& use = std::get<Block>(decoded).registers;
  EXPECT_EQ(use.general, GetParam().general);
  EXPECT_EQ(use.vector, GetParam().vector);
  EXPECT_EQ(use.widest_vex_vector, GetParam().widest);
}

INSTANTIATE_TEST_SUITE_P(Instructions, Registers, testing::ValuesIn(kUses));

TEST(RegisterUse, AddsUpOverTheBlock) {
  const auto decoded = decode(bytes_from_hex("4801d8c5f458c20f58c1"));
  const RegisterUse& use = std::get<Block>(decoded).registers;
  EXPECT_TRUE(use.uses(GeneralRegister::kRax));
  EXPECT_TRUE(use.uses(GeneralRegister::kRbx));
  EXPECT_FALSE(use.uses(GeneralRegister::kRcx));
  EXPECT_TRUE(use.uses_vector(2));
  EXPECT_FALSE(use.uses_vector(3));
  EXPECT_EQ(use.widest_vex_vector, 256);
}

TEST(RegisterUse, TellsWhereTheX87AndMmxStateIsTouched) {
  const auto uses_x87 = [](const char* hex) {
    return std::get<Block>(decode(bytes_from_hex(hex))).registers.x87;
  };
  EXPECT_TRUE(uses_x87("d9eb"));      // fldpi
  EXPECT_TRUE(uses_x87("9b"));        // fwait
  EXPECT_TRUE(uses_x87("0ffcc1"));    // paddb mm0, mm1
  EXPECT_TRUE(uses_x87("0f77"));      // emms
  EXPECT_TRUE(uses_x87("0f2ac1"));    // cvtpi2ps xmm0, mm1
  EXPECT_TRUE(uses_x87("f30fd6c1"));  // movq2dq xmm0, mm1
  EXPECT_TRUE(uses_x87("0fae03"));    // fxsave [rbx]
  EXPECT_TRUE(uses_x87("0fae23"));    // xsave [rbx]
  EXPECT_FALSE(uses_x87("4801d8"));
  EXPECT_FALSE(uses_x87("0f58c1"));    // addps xmm0, xmm1
  EXPECT_FALSE(uses_x87("c5f458c2"));  // vaddps
}

}  // namespace
}  // namespace assay

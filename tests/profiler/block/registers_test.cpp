#include <gtest/gtest.h>

#include <ostream>

#include "profiler/block/block.h"

namespace assay {
namespace {

constexpr std::uint16_t kBitOfRax = 1 << 0;
constexpr std::uint16_t kBitOfRcx = 1 << 1;
constexpr std::uint16_t kBitOfRdx = 1 << 2;
constexpr std::uint16_t kBitOfRbx = 1 << 3;
constexpr std::uint16_t kBitOfRsp = 1 << 4;
constexpr std::uint16_t kBitOfRbp = 1 << 5;
constexpr std::uint16_t kBitOfRsi = 1 << 6;
constexpr std::uint16_t kBitOfRdi = 1 << 7;
constexpr std::uint16_t kBitOfR8 = 1 << 8;
constexpr std::uint16_t kBitOfR10 = 1 << 10;
constexpr std::uint16_t kBitOfR13 = 1 << 13;
constexpr std::uint16_t kBitOfR15 = 1 << 15;

struct Use {
  const char* hex;
  int general;
  std::uint32_t vector;
  int widest;
  const char* what;
};
void PrintTo(const Use& use, std::ostream* out) { *out << use.what; }

constexpr Use kUses[] = {
    {"4801d8", kBitOfRax | kBitOfRbx, 0, 0, "add rax, rbx"},
    {"00e3", kBitOfRax | kBitOfRbx, 0, 0, "add bl, ah"},
    {"4000f7", kBitOfRsi | kBitOfRdi, 0, 0, "add dil, sil"},
    {"4701c7", kBitOfR15 | kBitOfR8, 0, 0, "add r15d, r8d"},
    {"48034c9808", kBitOfRax | kBitOfRbx | kBitOfRcx, 0, 0, "add rcx, [rax + 4*rbx + 8]"},
    {"67034c9808", kBitOfRax | kBitOfRbx | kBitOfRcx, 0, 0, "add ecx, [eax + 4*ebx + 8]"},
    {"f7e1", kBitOfRax | kBitOfRdx | kBitOfRcx, 0, 0, "mul ecx"},
    {"d3e0", kBitOfRax | kBitOfRcx, 0, 0, "shl eax, cl"},
    {"50", kBitOfRax | kBitOfRsp, 0, 0, "push rax"},
    {"c9", kBitOfRbp | kBitOfRsp, 0, 0, "leave"},
    {"c8100000", kBitOfRbp | kBitOfRsp, 0, 0, "enter 16, 0"},
    {"a4", kBitOfRsi | kBitOfRdi, 0, 0, "movsb"},
    {"f3a4", kBitOfRsi | kBitOfRdi | kBitOfRcx, 0, 0, "rep movsb"},
    {"f2ae", kBitOfRax | kBitOfRdi | kBitOfRcx, 0, 0, "repne scasb"},
    {"d7", kBitOfRax | kBitOfRbx, 0, 0, "xlat"},
    {"f34190", kBitOfRax | kBitOfR8, 0, 0, "pause, or xchg r8d, eax"},
    {"f390", 0, 0, 0, "pause"},
    {"67438b04157e080000", kBitOfRax | kBitOfR10, 0, 0, "mov eax, [r10d + 2174]"},
    {"67438b44157e", kBitOfRax | kBitOfR10 | kBitOfR13, 0, 0, "mov eax, [r13d + r10d + 126]"},
    {"480fc70e", kBitOfRax | kBitOfRbx | kBitOfRcx | kBitOfRdx | kBitOfRsi, 0, 0,
     "cmpxchg16b [rsi]"},
    {"c4e2fbf6c3", kBitOfRax | kBitOfRbx | kBitOfRdx, 0, 0, "mulx rax, rax, rbx"},
    {"0f31", kBitOfRax | kBitOfRdx, 0, 0, "rdtsc"},
    {"0f01fc", kBitOfRax, 0, 0, "clzero"},
    {"e2fe", kBitOfRcx, 0, 0, "loop"},
    {"0f44c3", kBitOfRax | kBitOfRbx, 0, 0, "cmove eax, ebx"},
    {"488b0500010000", kBitOfRax, 0, 0, "mov rax, [rip + 256]"},
    {"0f58c1", 0, 0b11, 0, "addps xmm0, xmm1"},
    {"440f58fb", 0, 1u << 15 | 1u << 3, 0, "addps xmm15, xmm3"},
    {"660f380801", kBitOfRcx, 1, 0, "psignb xmm0, [rcx]"},
    {"660f3810d1", 0, 0b111, 0, "pblendvb xmm2, xmm1, xmm0"},
    {"0f38cbd1", 0, 0b111, 0, "sha256rnds2 xmm2, xmm1, xmm0"},
    {"660f3a62c100", 0, 0b11, 0, "pcmpistrm (xmm0 implicit)"},
    {"660f3a61c100", kBitOfRax | kBitOfRdx | kBitOfRcx, 0b11, 0, "pcmpestri"},
    {"660ff7c1", kBitOfRdi, 0b11, 0, "maskmovdqu"},
    {"c5f058c2", 0, 0b111, 128, "vaddps xmm0, xmm1, xmm2"},
    {"c5f458c2", 0, 0b111, 256, "vaddps ymm0, ymm1, ymm2"},
    {"62f1744858c2", 0, 0b111, 512, "vaddps zmm0, zmm1, zmm2"},
    {"6201740058c6", 0, 1u << 30 | 1u << 24 | 1u << 17, 128, "vaddps xmm24, xmm17, xmm30"},
    {"c4e26d900488", kBitOfRax, 0b111, 256, "vpgatherdd ymm0, [rax + 4*ymm1], ymm2"},
    {"c5f96ec0", kBitOfRax, 1, 128, "vmovd xmm0, eax"},
    {"8fe97882c1", 0, 0b11, 128, "vfrczss xmm0, xmm1 (XOP)"},
    {"c5f877", 0, 0xffff, 256, "vzeroupper"},
    {"c5fc77", 0, 0xffff, 256, "vzeroall"},
    {"0fae03", kBitOfRbx, 0xffff, 0, "fxsave [rbx]"},
    {"0fae23", kBitOfRax | kBitOfRdx | kBitOfRbx, 0xffff'ffff, 0, "xsave [rbx]"},
    {"62f27f489a00", kBitOfRax, 0b1111, 512, "v4fmaddps zmm0, zmm0 to zmm3, [rax]"},
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
  EXPECT_TRUE(uses_x87("db0c24"));    // fisttp dword ptr [rsp]
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

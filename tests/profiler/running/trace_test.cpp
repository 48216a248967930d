#include "profiler/running/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <variant>

#include "profiler/machine/features.h"
#include "profiler/running/trace_analysis.h"
#include "tests/profiler/block/block_of.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kAddress = 0x12345600;  // in every register and word of the initial state
constexpr std::uint64_t kSegment = 0x12345600;  // the segments' base in the initial state

TracedAccess load(std::size_t instruction, std::uint64_t address, std::uint64_t size) {
  return {0, instruction, address, size, size, true, false};
}
TracedAccess store(std::size_t instruction, std::uint64_t address, std::uint64_t size) {
  return {0, instruction, address, size, size, false, true};
}
TracedAccess both(std::size_t instruction, std::uint64_t address, std::uint64_t size) {
  return {0, instruction, address, size, size, true, true};
}
TracedAccess many(TracedAccess access, std::uint64_t element) {
  access.element = element;
  return access;
}

class TraceTest : public testing::Test {
 protected:
  TraceRun run(const Block& block) {
    const InitialState state = bhive_initial_state();
    kernel_ = std::get<TracedKernel>(trace_kernel(block, state, subject::kCode));
    return run_trace(subject_, kernel_, block, state, {});
  }

  std::vector<TracedAccess> all_accesses(const std::string& hex) {
    const TraceRun done = run(block_of(hex));
    EXPECT_FALSE(done.fault) << name(done.fault->outcome.reason) << " "
                             << done.fault->outcome.detail;
    return done.trace.accesses;
  }

  /// The accesses of the first copy, without their registers.
  std::vector<TracedAccess> accesses(const std::string& hex) {
    auto found = all_accesses(hex);
    std::erase_if(found, [](const TracedAccess& access) { return access.copy != 0; });
    for (TracedAccess& access : found) access.registers = 0;
    return found;
  }

  TraceFindings findings(const std::string& hex) {
    const Block block = block_of(hex);
    const TraceRun done = run(block);
    EXPECT_FALSE(done.fault) << name(done.fault->outcome.reason) << " "
                             << done.fault->outcome.detail;
    return analyse(done.trace, {.pages = subject_.pages(),
                                .data_tlb_entries = 64,
                                .home = kernel_.home,
                                .block_size = block.bytes.size()});
  }

  subject::Subject subject_;
  TracedKernel kernel_;
};

TEST_F(TraceTest, ExplicitOperands) {
  // mov rax, [rbx + 8]; add dword ptr [rbx + 4*rcx], eax
  EXPECT_THAT(accesses("488b430801048b"),
              ElementsAre(load(0, kAddress + 8, 8), both(1, 5 * kAddress, 4)));
  // mov ecx, [ebx + 8*ecx], in 32 bits
  EXPECT_THAT(accesses("678b0ccb"), ElementsAre(load(0, 9 * kAddress & 0xffff'ffff, 4)));
  // mov rcx, fs:[0x28]; movzx eax, byte ptr gs:[rbx + 1]
  EXPECT_THAT(accesses("64488b0c2528000000650fb64301"),
              ElementsAre(load(0, kSegment + 0x28, 8), load(1, kSegment + kAddress + 1, 1)));
  // mov rcx, -1; bts [rbx], rcx
  EXPECT_THAT(accesses("48c7c1ffffffff480fab0b"), ElementsAre(both(1, kAddress - 8, 8)));
}

TEST_F(TraceTest, RegistersAsTheyAreInEachCopy) {
  const auto found = all_accesses("4881c300100000488b03");  // add rbx, 4096; mov rax, [rbx]
  ASSERT_EQ(found.size(), 16U);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].copy, static_cast<std::int64_t>(i));
    EXPECT_EQ(found[i].address, kAddress + 4096 * (i + 1));
  }
  EXPECT_EQ(subject_.pages(), 16);
}

TEST_F(TraceTest, AccessesKnowTheRegistersOfTheirAddresses) {
  const auto found = all_accesses("488b04d359");  // mov rax, [rbx + 8*rdx]; pop rcx
  ASSERT_GE(found.size(), 2U);
  EXPECT_EQ(found[0].registers, 1U << 3 | 1U << 2);
  EXPECT_EQ(found[1].registers, 1U << 4);
}

TEST_F(TraceTest, RipRelativeOperandsAreThoseOfTheOneBlock) {
  for (const TracedAccess& access : all_accesses("90488b0d30120000")) {  // nop; mov rcx, [rip + ..]
    EXPECT_EQ(access.address, kernel_.home + 1 + 7 + 0x1230);
  }
}

TEST_F(TraceTest, ImplicitOperands) {
  // push rbx; pop rcx
  EXPECT_THAT(accesses("5359"), ElementsAre(store(0, kAddress - 8, 8), load(1, kAddress - 8, 8)));
  // enter 16, 0; leave
  EXPECT_THAT(accesses("c8100000c9"),
              ElementsAre(store(0, kAddress - 8, 8), load(1, kAddress - 8, 8)));
  // push qword ptr [rbx + 8]; pop qword ptr [rsp + 8]
  EXPECT_THAT(accesses("ff7308"), ElementsAre(load(0, kAddress + 8, 8), store(0, kAddress - 8, 8)));
  EXPECT_THAT(accesses("8f442408"), ElementsAre(store(0, kAddress + 16, 8), load(0, kAddress, 8)));
  // mov al, 5; xlat
  EXPECT_THAT(accesses("b005d7"), ElementsAre(load(1, kAddress + 5, 1)));
  // stosb; movsq, behind each other
  EXPECT_THAT(accesses("aa48a5"),
              ElementsAre(store(0, kAddress, 1), store(1, kAddress + 1, 8), load(1, kAddress, 8)));
  // maskmovdqu xmm1, xmm2
  EXPECT_THAT(accesses("660ff7ca"), ElementsAre(store(0, kAddress, 16)));
}

TEST_F(TraceTest, NoneForAddressesAndHints) {
  // lea rcx, [rbx]; prefetcht0 [rbx]; nop dword ptr [rbx]; add rax, rbx
  EXPECT_THAT(accesses("488d0b0f180b0f1f034801d8"), IsEmpty());
}

TEST_F(TraceTest, RepetitionsAreWhatWasDone) {
  // mov ecx, 4; rep stosd
  EXPECT_THAT(accesses("b904000000f3ab"), ElementsAre(many(store(1, kAddress, 16), 4)));
  // mov ecx, 3; rep movsw
  EXPECT_THAT(accesses("b90300000066f3a5"),
              ElementsAre(many(store(1, kAddress, 6), 2), many(load(1, kAddress, 6), 2)));
  // mov ecx, 4; std; rep stosq; cld: downwards, beginning at the address
  EXPECT_THAT(accesses("b904000000fdf348abfc"), ElementsAre(many(store(2, kAddress - 24, 32), 8)));
  // mov ecx, 0; rep movsb
  EXPECT_THAT(accesses("b900000000f3a4"), IsEmpty());
  // mov ecx, 5; repne scasb: al is 0, and so is the byte that it begins at
  EXPECT_THAT(accesses("b905000000f2ae"), ElementsAre(load(1, kAddress, 1)));
  // mov ecx, 5; xor al, al; repe scasb: the second byte is the first that differs
  EXPECT_THAT(accesses("b90500000030c0f3ae"), ElementsAre(many(load(2, kAddress, 2), 1)));
  // std; mov ecx, 2; addr32 rep movsd: downwards in 32 bits
  EXPECT_THAT(accesses("fdb90200000067f3a5"),
              ElementsAre(many(store(2, kAddress - 4, 8), 4), many(load(2, kAddress - 4, 8), 4)));
}

TEST_F(TraceTest, RepetitionsThatForgetTheUpperHalf) {
  // movabs rdi, 0x112345600; mov ecx, 2; addr32 rep stosd
  EXPECT_THAT(accesses("48bf0056341201000000b90200000067f3ab"),
              ElementsAre(many(store(2, kAddress, 8), 4)));
}

TEST_F(TraceTest, RepetitionsThatMissPages) {
  // mov ecx, 0x3000; rep stosb
  EXPECT_THAT(accesses("b900300000f3aa"), ElementsAre(many(store(1, kAddress, 0x3000), 1)));
}

TEST_F(TraceTest, LanesOfVexGathers) {
  if (!features().avx) GTEST_SKIP() << "this CPU or system has no AVX";
  // vpcmpeqd ymm2, ymm2, ymm2; vpxor ymm1, ymm1, ymm1; vpgatherdd ymm0, [rbx + 4*ymm1 + 8], ymm2
  EXPECT_THAT(accesses("c5ed76d2c5f5efc9c4e26d90448b08"),
              testing::AllOf(testing::SizeIs(8), testing::Each(load(2, kAddress + 8, 4))));
  // A gather of 8-byte elements, with -1 and -1 as the two indices that count:
  // vpcmpeqd xmm1, xmm1, xmm1; vpcmpeqd xmm2, xmm2, xmm2; vgatherdpd xmm0, [rbx + 8*xmm1], xmm2
  EXPECT_THAT(accesses("c5f176c9c5e976d2c4e2e99204cb"),
              ElementsAre(load(2, kAddress - 8, 8), load(2, kAddress - 8, 8)));
  // Without a set sign in the mask, no lane is active: the initial state's numbers are positive.
  EXPECT_THAT(accesses("c5f176c9c4e2e99204cb"), IsEmpty());
}

TEST_F(TraceTest, LanesOfEvexScatters) {
  if (!features().avx512) GTEST_SKIP() << "this CPU or system has no AVX-512";
  // vpxord zmm17, zmm17, zmm17; mov ecx, 5; kmovw k1, ecx; vpscatterqq [rbx + 8*zmm17] {k1}, zmm3
  EXPECT_THAT(accesses("62a17540efc9b905000000c5f892c962f2fd41a11ccb"),
              ElementsAre(store(3, kAddress, 8), store(3, kAddress, 8)));
}

TEST_F(TraceTest, AFaultIsGivenBackWithItsPlace) {
  // mov rax, [rbx]; xor ecx, ecx; not rcx; mov rcx, [rcx]
  const TraceRun done = run(block_of("488b0331c948f7d1488b09"));
  ASSERT_TRUE(done.fault);
  EXPECT_EQ(done.fault->outcome.reason, Reason::kKernelAddress) << name(done.fault->outcome.reason);
  EXPECT_THAT(done.trace.accesses, IsEmpty());
  const auto place = kernel_.locate(done.fault->registers.rip);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->copy, 0);
  EXPECT_EQ(place->offset, 8U);
}

TEST_F(TraceTest, StackFaultsOfTheX87) {
  EXPECT_TRUE(findings("d8c1").traits.has(Trait::kX87Stack));  // fadd st, st(1) on an empty stack
  EXPECT_FALSE(findings("d9e8ddd8").traits.has(Trait::kX87Stack));  // fld1; fstp st(0)
  const TraceFindings overflow = findings("d9e8");                  // fld1: only eight fit
  ASSERT_TRUE(overflow.traits.has(Trait::kX87Stack));
  EXPECT_EQ(overflow.findings.front().copy, 8);
}

TEST_F(TraceTest, SubnormalNumbers) {
  // addsd xmm1, xmm2
  EXPECT_FALSE(findings("f20f58ca").traits.has(Trait::kSubnormal));
  // movsd xmm0, [rbx]; addsd xmm0, xmm1: memory holds the address, which is subnormal as a number
  EXPECT_TRUE(findings("f20f1003f20f58c1").traits.has(Trait::kSubnormal));
  // The product of 0x1.000002p-126 and 0.5.
  EXPECT_TRUE(
      findings("b801008000660f6ec0b80000003f660f6ec8f30f59c1").traits.has(Trait::kSubnormal));
  // fld qword ptr [rbx]; fstp st(0), and fld1; fstp st(0)
  EXPECT_TRUE(findings("dd03ddd8").traits.has(Trait::kSubnormal));
  EXPECT_FALSE(findings("d9e8ddd8").traits.has(Trait::kSubnormal));
}

TEST_F(TraceTest, AStatusOfTheX87IsNoneOfOtherBlocks) {
  run(block_of("d8c1"));
  EXPECT_TRUE(findings("4801d8").traits.empty());
}

TEST_F(TraceTest, OwnMemoryAndOwnCode) {
  // mov ebx, 0x5ec70020; shl rbx, 16; mov rax, [rbx]: the control area
  const TraceFindings own = findings("bb2000c75e48c1e310488b03");
  ASSERT_TRUE(own.intrusion);
  EXPECT_EQ(own.intrusion->reason, Reason::kSubjectMemory);
  // lea rax, [rip - 7]; mov cl, [rax]: its own first byte
  const TraceFindings code = findings("488d05f9ffffff8a08");
  ASSERT_TRUE(code.intrusion);
  EXPECT_EQ(code.intrusion->reason, Reason::kRipRelativeCode);
  EXPECT_EQ(code.intrusion->access.address, kernel_.home);
  EXPECT_FALSE(findings("488b03").intrusion);
}

}  // namespace
}  // namespace assay

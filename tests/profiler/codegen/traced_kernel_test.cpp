#include "profiler/codegen/traced_kernel.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <variant>

#include "profiler/machine/features.h"
#include "profiler/subject/subject.h"
#include "tests/profiler/block/block_of.h"

namespace assay {
namespace {

TracedKernel traced(const std::string& hex) {
  return std::get<TracedKernel>(trace_kernel(block_of(hex), bhive_initial_state(), subject::kCode));
}

/// The instructions of a kernel's first copy in hexadecimal, without displacements of stores to the
/// trace area: "@N" stands for the word that such a store reaches.
std::string first_copy_of(const std::string& hex) {
  const TracedKernel kernel = traced(hex);
  const auto first = static_cast<std::ptrdiff_t>(kernel.first_copy - kernel.start);
  Bytes code(kernel.code.begin() + first,
             kernel.code.begin() + first + static_cast<std::ptrdiff_t>(kernel.copy_size));
  const Block copy = std::get<Block>(decode(code));
  std::string text;
  for (const Instruction& at : copy.instructions) {
    const auto begin = code.begin() + static_cast<std::ptrdiff_t>(at.offset);
    std::string bytes =
        hex_from_bytes(Bytes(begin, begin + static_cast<std::ptrdiff_t>(at.length)));
    for (const RipRelativeOperand& operand : copy.rip_relative) {
      if (operand.next_instruction != at.offset + at.length) continue;
      const std::uint64_t target =
          kernel.first_copy + static_cast<std::uint64_t>(operand.target()) - subject::kTrace;
      bytes.resize(bytes.size() - 8);
      bytes += fmt::format("@{}", target);
    }
    text += bytes + " ";
  }
  return text;
}

TEST(TracedKernel, KeepsTheRegistersOfEveryAddressInFrontOfIt) {
  // mov rax, [rbx + 8*rcx]; add rax, rdx; push rax
  EXPECT_EQ(first_copy_of("488b04cb4801d050"),
            "48890d@0 48891d@8 488b04cb "  // rcx, rbx
            "4801d0 "
            "488925@16 50 "  // rsp
            "0fae1d@24 ");   // stmxcsr
}

TEST(TracedKernel, KeepsThePointersOfARepetitionBehindItToo) {
  EXPECT_EQ(first_copy_of("f3a4"), "488935@0 48893d@8 f3a4 488935@16 48893d@24 0fae1d@32 ");
}

TEST(TracedKernel, KeepsIndicesAndMasksOfGathers) {
  // vpgatherdd ymm0, [rax + 4*ymm1], ymm2
  EXPECT_EQ(first_copy_of("c4e26d900488"),
            "488905@0 c5fc110d@8 c5fc1115@40 c4e26d900488 0fae1d@72 ");
  // vpscatterqd [rax + 8*zmm17] {k3}, ymm3
  EXPECT_EQ(first_copy_of("62f27d43a11cc8"),
            "488905@0 62e17c48110d@8 c5f8911d@72 62f27d43a11cc8 0fae1d@80 ");
}

TEST(TracedKernel, KeepsTheStatusOfTheX87OfBlocksThatUseIt) {
  EXPECT_EQ(first_copy_of("d9e8"), "d9e8 0fae1d@0 dd3d@4 ");
}

TEST(TracedKernel, LeavesAFinalBranchForWhatStandsBehindIt) {
  // add rax, rbx; jne; stmxcsr
  EXPECT_THAT(hex_from_bytes(traced("4801d875fb").code), testing::HasSubstr("4801d875000fae1d"));
}

TEST(TracedKernel, HasAsManyCopiesAsMakeSense) {
  std::string nops;
  for (int i = 0; i < 1000; ++i) nops += "90";
  EXPECT_EQ(traced("4801d8").copies, Copies(16));
  EXPECT_EQ(traced(nops.substr(0, 2 * 64)).copies, Copies(8));
  EXPECT_EQ(traced(nops.substr(0, 2 * 64) + "d9e8").copies, Copies(9));
  EXPECT_EQ(traced(nops).copies, Copies(4));
  std::string repetitions;
  for (int i = 0; i < 700; ++i) repetitions += "f3a4";
  EXPECT_EQ(traced(repetitions).copies, Copies(2));  // 2801 words each of 8192
}

TEST(TracedKernel, RefusesWhatItCannotRecordOrReach) {
  const auto reason = [](const std::string& hex) {
    const auto made = trace_kernel(block_of(hex), bhive_initial_state(), subject::kCode);
    const auto* refusal = std::get_if<Outcome>(&made);
    return refusal ? refusal->reason : Reason::kNone;
  };
  std::string repetitions;
  for (int i = 0; i < 2048; ++i) repetitions += "f3a4";
  EXPECT_EQ(reason(repetitions), Reason::kTooLarge);
  EXPECT_EQ(reason("488b0d0000007f"), Reason::kRipRelativeRange);
  EXPECT_EQ(reason("48bb00002000c75e00008903"), Reason::kSubjectMemory);
}

TEST(TracedKernel, LocatesInstructionsWithTheirStores) {
  const TracedKernel kernel = traced("4801d8488b03f3a4");  // add; mov rax, [rbx]; rep movsb
  const auto at = [&](std::uint64_t offset) { return kernel.locate(kernel.first_copy + offset); };
  EXPECT_FALSE(kernel.locate(kernel.first_copy - 1));
  EXPECT_EQ(at(0)->offset, 0U);
  EXPECT_EQ(at(3)->offset, 3U);                   // the store in front of the load
  EXPECT_EQ(at(3 + 7)->offset, 3U);               // the load
  EXPECT_EQ(at(3 + 7 + 3)->offset, 6U);           // the first store in front of rep movsb
  EXPECT_EQ(at(3 + 7 + 3 + 14 + 2)->offset, 6U);  // the first one behind it
  EXPECT_EQ(at(kernel.copy_size)->copy, 1);
  EXPECT_EQ(at(kernel.copy_size)->offset, 0U);
  EXPECT_FALSE(at(16 * kernel.copy_size));
}

/// Runs traced kernels of blocks that end in ud2 (0f0b), and stop there.
class TracedRun : public testing::Test {
 protected:
  user_regs_struct registers_at_ud2(const Bytes& code, std::uint64_t entry) {
    const InitialState state = bhive_initial_state();
    subject_.load_code(0, code);
    const std::array entries = {entry};
    const auto result = subject_.run({entries, 1, ~0U, state.memory_word, state.segment_base}, {});
    EXPECT_TRUE(result.fault.has_value());
    const subject::Fault fault = result.fault.value_or(subject::Fault{});
    EXPECT_EQ(fault.outcome.reason, Reason::kUnsupportedInstruction)
        << name(fault.outcome.reason) << fault.outcome.detail;
    return fault.registers;
  }

  /// Expects that the block leaves the same behind when traced and when timed, except for the
  /// register that holds the clock's reading in a timed kernel.
  void expect_the_same(const std::string& hex) {
    const Block block = block_of(hex + "0f0b");
    const InitialState state = bhive_initial_state();
    const auto plain =
        std::get<Kernel>(unroll(block, std::array{Iterations(1)}, state, subject::kCode));
    const user_regs_struct expected = registers_at_ud2(plain.code, plain.entries[0]);
    const TracedKernel kernel = traced(hex + "0f0b");
    const user_regs_struct found = registers_at_ud2(kernel.code, kernel.entry);
    EXPECT_EQ(general(found, block.registers.general), general(expected, block.registers.general))
        << hex;
    EXPECT_EQ(found.eflags, expected.eflags) << hex;
    EXPECT_THAT(general(found, static_cast<std::uint16_t>(~block.registers.general)),
                testing::Each(state.general[0]))
        << hex;
    const auto place = kernel.locate(found.rip);
    ASSERT_TRUE(place) << hex;
    EXPECT_EQ(place->copy, 0);
    EXPECT_EQ(place->offset, hex.size() / 2);
  }

  static std::vector<std::uint64_t> general(const user_regs_struct& r, std::uint16_t set) {
    const std::array all = {r.rax, r.rcx, r.rdx, r.rbx, r.rsp, r.rbp, r.rsi, r.rdi,
                            r.r8,  r.r9,  r.r10, r.r11, r.r12, r.r13, r.r14, r.r15};
    std::vector<std::uint64_t> values;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (set >> i & 1) values.push_back(all[i]);
    }
    return values;
  }

  subject::Subject subject_;
};

TEST_F(TracedRun, ChangesNoRegisterAndNoFlag) {
  for (const char* hex : {
           "4801d8488b0b4811d9",           // add; mov rcx, [rbx]; adc rcx, rbx
           "4883f800488b0b0f92c2",         // cmp rax, 0; mov rcx, [rbx]; setb dl
           "fd48a5",                       // std; movsq
           "535959",                       // push rbx; pop rcx; pop rcx
           "c81000004801e1c9",             // enter; add rcx, rsp; leave
           "b904000000f3ab",               // mov ecx, 4; rep stosd
           "b90500000030c0f2ae",           // mov ecx, 5; xor al, al; repne scasb
           "9c58488b0b",                   // pushfq; pop rax; mov rcx, [rbx]
           "66480f7ec866480f6e0b",         // movq rax, xmm1; movq xmm1, [rbx]
           "488d0d34120000488b0d34120000"  // lea rcx, [rip + ..]; mov rcx, [rip + ..]
       }) {
    expect_the_same(hex);
  }
}

TEST_F(TracedRun, ChangesNoVectorRegisterAndNoMask) {
  if (!features().avx512) GTEST_SKIP() << "this CPU or system has no AVX-512";
  // vpxord zmm1, zmm1, zmm1; vpgatherdd zmm0 {k1}, [rbx + 4*zmm1]; kmovq rax, k2;
  // vpmovq2m k3, zmm0; kmovq rcx, k3; vextracti128 xmm4, ymm1, 1; vmovq rdx, xmm4
  expect_the_same(
      "62f17548efc962f27d4990048bc4e1fb93c262f2fe4839d8c4e1fb93cbc4e37d39cc01"
      "c4e1f97ee2");
}

TEST_F(TracedRun, CannotBeToldByMxcsr) {
  // stmxcsr dword ptr [rbx]; mov ecx, dword ptr [rbx]; ud2
  const TracedKernel kernel = traced("0fae1b8b0b0f0b");
  EXPECT_EQ(registers_at_ud2(kernel.code, kernel.entry).rcx, bhive_initial_state().mxcsr);
  EXPECT_EQ(kernel.subnormal_entry, 0U);
}

TEST_F(TracedRun, TheSecondEntryMasksExceptionsAndFlushesNothing) {
  // movaps xmm0, xmm1; stmxcsr dword ptr [rbx]; mov ecx, dword ptr [rbx]; ud2
  const TracedKernel kernel = traced("0f28c10fae1b8b0b0f0b");
  EXPECT_EQ(registers_at_ud2(kernel.code, kernel.subnormal_entry).rcx, 0x1f80U);
  InitialState state = bhive_initial_state();
  state.mxcsr = 0x7f80;  // rounds towards zero, flushes nothing
  const auto none = std::get<TracedKernel>(trace_kernel(block_of("0f28c1"), state, subject::kCode));
  EXPECT_EQ(none.subnormal_entry, 0U);
}

TEST_F(TracedRun, TheStatesOwnCodeRunsFirstAndItsFlagsAreForgotten) {
  InitialState state = bhive_initial_state();
  // xorps xmm0, xmm0; divss xmm0, xmm0 (invalid); mov ecx, 7
  state.code = bytes_from_hex("0f57c0f30f5ec0b907000000");
  // stmxcsr dword ptr [rbx]; mov eax, dword ptr [rbx]; test rcx, rcx; ud2
  const auto kernel =
      std::get<TracedKernel>(trace_kernel(block_of("0fae1b8b034885c90f0b"), state, subject::kCode));
  const user_regs_struct found = registers_at_ud2(kernel.code, kernel.entry);
  EXPECT_EQ(found.rax, state.mxcsr);
  EXPECT_EQ(found.rcx, 7U);
}

TEST_F(TracedRun, NorDoTheX87sOutlastTheStatesOwnCode) {
  InitialState state = bhive_initial_state();
  state.code = bytes_from_hex("d8c1");  // fadd st, st(1), on an empty stack
  const auto kernel =
      std::get<TracedKernel>(trace_kernel(block_of("dfe00f0b"), state, subject::kCode));
  constexpr std::uint64_t kFlags = 0x7f;
  EXPECT_EQ(registers_at_ud2(kernel.code, kernel.entry).rax & kFlags, 0U);  // fnstsw ax; ud2
}

}  // namespace
}  // namespace assay

#include "profiler/codegen/kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "profiler/machine/features.h"
#include "profiler/subject/subject.h"
#include "tests/profiler/block/block_of.h"
#include "tests/profiler/codegen/entry_jump.h"
#include "tests/profiler/machine/assumed_features.h"

namespace assay {
namespace {

using subject::Fault;

constexpr std::uint64_t kAddress = 0x12345600;  // what registers hold in the initial state

Kernel kernel_of(const std::string& hex, std::int64_t copies = 1) {
  return std::get<Kernel>(
      unroll(block_of(hex), std::array{Iterations(copies)}, bhive_initial_state(), subject::kCode));
}

/// Runs kernels in a subject. Blocks that end in ud2 (0f0b) stop there, and the registers that come
/// with the fault show what the block saw.
class KernelRun : public testing::Test {
 protected:
  subject::SeriesResult run(const Kernel& kernel, std::uint32_t rounds = 1) {
    const InitialState state = bhive_initial_state();
    subject_.load_code(0, kernel.code);
    const std::array entries = {kernel.entries[0]};
    return subject_.run(
        {entries, rounds, ~0U, state.memory_word, state.segment_base, 127, state.frames}, {});
  }

  /// The word at [rbx] after one run through an entry, which a second kernel of the same series
  /// reads.
  std::uint64_t last_word_at_rbx(const Kernel& kernel, std::size_t entry) {
    const InitialState state = bhive_initial_state();
    subject_.load_code(0, kernel.code);
    const auto reader = std::get<Kernel>(unroll(block_of("488b0b0f0b"), std::array{Iterations(1)},
                                                state, subject::kCode + kReaderOffset));
    subject_.load_code(kReaderOffset, reader.code);
    // The frame is refilled only before the first kernel.
    const std::array entries = {kernel.entries[entry], reader.entries[0]};
    const auto result =
        subject_.run({entries, 1, 1, state.memory_word, state.segment_base, 127, state.frames}, {});
    EXPECT_TRUE(result.fault.has_value());
    if (!result.fault) return 0;
    EXPECT_EQ(result.fault->outcome.reason, Reason::kUnsupportedInstruction)
        << name(result.fault->outcome.reason) << result.fault->outcome.detail;
    return result.fault->registers.rcx;
  }

  static constexpr std::uint64_t kReaderOffset = 0x8000;

  user_regs_struct registers_at_ud2(const std::string& hex) {
    const auto result = run(kernel_of(hex + "0f0b"));
    EXPECT_TRUE(result.fault.has_value());
    const Fault fault = result.fault.value_or(Fault{});
    EXPECT_EQ(fault.outcome.reason, Reason::kUnsupportedInstruction)
        << name(fault.outcome.reason) << fault.outcome.detail;
    return fault.registers;
  }

  subject::Subject subject_;
};

TEST_F(KernelRun, EveryGeneralRegisterHoldsTheAddress) {
  const user_regs_struct r = registers_at_ud2("");
  // R15 keeps the clock's reading, since the block leaves it alone.
  EXPECT_THAT((std::array{r.rax, r.rbx, r.rcx, r.rdx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8, r.r9, r.r10,
                          r.r11, r.r12, r.r13, r.r14}),
              testing::Each(kAddress));
}

TEST_F(KernelRun, ARegisterThatTheBlockNamesIsNotTheKeeper) {
  EXPECT_EQ(registers_at_ud2("4d85ff").r15, kAddress);  // test r15, r15
}

TEST_F(KernelRun, FlagsAreClear) {
  constexpr unsigned kStatusAndDirection = 0x8d5 | 0x400;  // OF SF ZF AF PF CF, and DF
  EXPECT_EQ(registers_at_ud2("").eflags & kStatusAndDirection, 0U);
}

TEST_F(KernelRun, SegmentBasesHoldTheAddress) {
  const user_regs_struct r = registers_at_ud2("");
  EXPECT_EQ(r.fs_base, kAddress);
  EXPECT_EQ(r.gs_base, kAddress);
}

TEST_F(KernelRun, MemoryWordsHoldTheAddress) {
  EXPECT_EQ(registers_at_ud2("488b4b08").rcx, kAddress);  // mov rcx, qword ptr [rbx + 8]
  // mov rcx, qword ptr fs:[0x28]
  EXPECT_EQ(registers_at_ud2("64488b0c2528000000").rcx, kAddress);
  // mov rcx, qword ptr [rbx + 0x12a00]: another page, the same frame
  EXPECT_EQ(registers_at_ud2("488b8b002a0100").rcx, kAddress);
}

TEST_F(KernelRun, MemoryIsRefilledBeforeEachRun) {
  // inc qword ptr [rbx]; mov rcx, qword ptr [rbx]
  EXPECT_EQ(registers_at_ud2("48ff03488b0b").rcx, kAddress + 1);
  EXPECT_EQ(registers_at_ud2("48ff03488b0b").rcx, kAddress + 1);
}

TEST_F(KernelRun, AllVirtualPagesAreOneFrame) {
  // mov qword ptr [rbx], rsi + 1 ...: inc rsi; mov [rbx], rsi; mov rcx, [rbx + 0x5000]
  EXPECT_EQ(registers_at_ud2("48ffc6488933488b8b00500000").rcx, kAddress + 1);
}

TEST_F(KernelRun, VectorRegistersHoldOrdinaryNumbers) {
  const std::uint64_t word = bhive_initial_state().vector_word;
  EXPECT_EQ(registers_at_ud2("66480f7ed9").rcx, word);     // movq rcx, xmm3
  EXPECT_EQ(registers_at_ud2("664c0f7ef9").rcx, word);     // movq rcx, xmm15
  EXPECT_EQ(registers_at_ud2("66490f3a16d901").r9, word);  // pextrq r9, xmm3, 1
}

TEST_F(KernelRun, MmxRegistersHoldTheSameBeforeEachRun) {
  const std::uint64_t word = bhive_initial_state().vector_word;
  // movq rcx, mm0; mov edx, 5; movd mm0, edx; the last run sees what the first saw
  EXPECT_EQ(registers_at_ud2("480f7ec1ba050000000f6ec2").rcx, word);
  const auto result = run(kernel_of("ba050000000f6ec20f6efa", 3), 5);  // movd mm0, edx; mm7
  EXPECT_FALSE(result.fault) << result.fault->outcome.detail;
  EXPECT_EQ(registers_at_ud2("480f7ec1").rcx, word);
  EXPECT_EQ(registers_at_ud2("480f7ef9").rcx, word);  // movq rcx, mm7
}

TEST_F(KernelRun, UpperHalvesAreFilledOnlyForBlocksThatUseThem) {
  if (!features().avx) GTEST_SKIP() << "this CPU or system has no AVX";
  const std::uint64_t word = bhive_initial_state().vector_word;
  // vextractf128 xmm1, ymm3, 1; vmovq rcx, xmm1
  EXPECT_EQ(registers_at_ud2("c4e37d19d901c4e1f97ec9").rcx, word);
}

TEST_F(KernelRun, HighVectorRegistersAndMasks) {
  if (!features().avx512) GTEST_SKIP() << "this CPU or system has no AVX-512";
  const std::uint64_t word = bhive_initial_state().vector_word;
  EXPECT_EQ(registers_at_ud2("62e1fd087ec9").rcx, word);  // vmovq rcx, xmm17
  EXPECT_EQ(registers_at_ud2("c4e1fb93cb").rcx, ~0ULL);   // kmovq rcx, k3
}

TEST_F(KernelRun, MxcsrMasksAndFlushes) {
  // stmxcsr dword ptr [rbx]; mov ecx, dword ptr [rbx]
  EXPECT_EQ(registers_at_ud2("0fae1b8b0b").rcx, 0x9fc0U);
}

TEST_F(KernelRun, X87IsEmpty) {
  // fnstenv [rbx]; movzx ecx, word ptr [rbx + 8]: the tag word, all ones when empty
  EXPECT_EQ(registers_at_ud2("d9330fb74b08").rcx, 0xffffU);
}

TEST_F(KernelRun, WhatABlockLeavesBehindDoesNotReachTheNextRun) {
  // std; fldpi; pxor xmm3, xmm3; xor ebx, ebx; push rax, onto the block's own stack
  const auto result = run(kernel_of("fdd9eb660fefdb31db50", 3), 5);
  EXPECT_FALSE(result.fault) << result.fault->outcome.detail;
  EXPECT_EQ(registers_at_ud2("66480f7ed9").rcx, bhive_initial_state().vector_word);
  EXPECT_EQ(registers_at_ud2("d9330fb74b08").rcx, 0xffffU);
}

TEST_F(KernelRun, AnExceptionThatABlockLeftPendingDoesNotReachTheNextRun) {
  // push 0; fldcw [rsp]; fldz; fld1; fdivrp st(1), st; ud2
  EXPECT_TRUE(run(kernel_of("6a00d92c24d9eed9e8def10f0b", 1), 1).fault);
  EXPECT_EQ(registers_at_ud2("480f7ec1").rcx, bhive_initial_state().vector_word);
  EXPECT_EQ(registers_at_ud2("d9330fb74b08").rcx, 0xffffU);
}

TEST_F(KernelRun, TheProgramSurvivesEveryRegisterChanged) {
  // xor of each of the 16 general registers with itself, rsp included
  const auto result = run(kernel_of("31c031c931d231db31e431ed31f631ff"
                                    "4531c04531c94531d24531db4531e44531ed4531f64531ff"),
                          3);
  EXPECT_FALSE(result.fault) << result.fault->outcome.detail;
  EXPECT_EQ(result.readings.size(), 3U);
}

TEST_F(KernelRun, ReadingsGrowWithTheCopies) {
  const Kernel few = kernel_of("480fafc0", 100);  // imul rax, rax
  const Kernel many = kernel_of("480fafc0", 5000);
  // The smallest of many readings, since an interrupt may lengthen one.
  const auto least = [&](const Kernel& kernel) {
    return std::ranges::min(run(kernel, 200).readings);
  };
  const std::uint32_t short_run = least(few);
  EXPECT_GT(least(many), short_run);
}

TEST_F(KernelRun, EveryCopyReachesTheSameRipRelativeTarget) {
  // lea rcx, [rip + 0x1234]; lea rdx, [rip + 0x1234 - 7 + ...]: one copy's own idea of the target
  const std::uint64_t target = registers_at_ud2("488d0d34120000").rcx;
  EXPECT_EQ(target, subject::kRipBase + 7 + 0x1234);
  // With a ud2 only the first copy runs, and with another instruction in its place it would be
  // another block: so look at the displacements of all copies.
  const Kernel kernel = kernel_of("488d0d34120000", 4);
  for (std::int64_t copy = 0; copy < 4; ++copy) {
    const std::uint64_t end = kernel.first_copy + static_cast<std::uint64_t>(copy + 1) * 7;
    std::int32_t displacement = 0;
    for (int i = 3; i >= 0; --i) {
      displacement =
          displacement << 8 | kernel.code[end - subject::kCode - 4 + static_cast<std::uint64_t>(i)];
    }
    EXPECT_EQ(end + static_cast<std::uint64_t>(std::int64_t{displacement}), target);
  }
}

TEST_F(KernelRun, AFinalBranchLeadsToTheNextCopyEitherWay) {
  // inc rcx; jne -5 (taken), and inc rcx; je -5 (not taken), then out of the last copy
  EXPECT_FALSE(run(kernel_of("48ffc175fb", 4)).fault);
  EXPECT_FALSE(run(kernel_of("48ffc174fb", 4)).fault);
  EXPECT_FALSE(run(kernel_of("48ffc1e9fbffffff", 4)).fault);
}

TEST(Kernel, FirstCopyStandsOnALine) {
  for (const char* hex : {"90", "480fafc0", "4d85ff", "c5fc58c1"}) {
    EXPECT_EQ(kernel_of(hex).first_copy % 64, 0U) << hex;
  }
}

TEST(Kernel, BetweenTheReadingsThereIsOnlyTheBlock) {
  // lfence; rdtsc; mov r15d, eax; mov eax, 1; add eax, 0; mov eax, ..; mov edx, ..
  const std::string start = "0faee80f314189c7b80100000083c000b800563412ba00563412";
  const std::string load_stack_pointer = "bc00563412";
  const std::string fence = "0faee8";
  const std::string near = "0f1f840000000000e9";  // a NOP of eight bytes; jmp
  const struct {
    Features features;
    std::string end;
  } kCases[] = {{AssumedFeatures::near_jumps(), load_stack_pointer + fence + near},
                {AssumedFeatures::far_jumps(), load_stack_pointer + fence + "48ff2d"},
                // mov rsp, the address of a pointer in front of the entry; lfence; ret
                {AssumedFeatures::drained(),
                 "48bcc0004000c75e0000" + fence + "c3" + load_stack_pointer + near}};
  for (const auto& test : kCases) {
    const AssumedFeatures assumed(test.features);
    const Kernel kernel = kernel_of("4801d8", 2);
    const std::string code = hex_from_bytes(kernel.code);
    EXPECT_THAT(code, testing::HasSubstr(start + test.end));
    // the copies; lfence; rdtsc; sub eax, r15d; mov r15d, eax; lfence
    EXPECT_THAT(code, testing::HasSubstr("4801d84801d80faee80f314429f84189c70faee8"));
  }
}

std::uint64_t constant_at(const Kernel& kernel, std::uint64_t address, std::uint64_t size) {
  std::uint64_t value = 0;
  for (std::uint64_t i = size; i >= 1; --i) {
    value = value << 8 | kernel.code[address - kernel.start + i - 1];
  }
  return value;
}

/// The address in the body that an entry runs from: that which its JMP leads to.
std::uint64_t body_of(const Kernel& kernel, std::size_t entry) {
  const auto code = std::span(kernel.code).subspan(kernel.entries[entry] - kernel.start);
  const std::size_t opcode = features().code_segment != 0 ? 3 : 1;  // in bytes
  const std::uint64_t field = kernel.entries[entry] + entry_jump(code).value() + opcode;
  const std::uint64_t target =
      field + 4 +
      static_cast<std::uint64_t>(static_cast<std::int32_t>(constant_at(kernel, field, 4)));
  if (features().code_segment == 0) return target;
  EXPECT_EQ(constant_at(kernel, target + 8, 2), features().code_segment);
  return constant_at(kernel, target, 8);
}

TEST(Kernel, EachSizeEntersSoFarFromTheEnd) {
  const std::array<Iterations, 3> sizes = {Iterations(5), Iterations(10), Iterations(20)};
  for (const Features& features :
       {AssumedFeatures::near_jumps(), AssumedFeatures::far_jumps(), AssumedFeatures::drained()}) {
    const AssumedFeatures assumed(features);
    const auto kernel =
        std::get<Kernel>(unroll(block_of("4801d8"), sizes, bhive_initial_state(), subject::kCode));
    EXPECT_EQ(kernel.copies, 20);
    ASSERT_EQ(kernel.entries.size(), 3U);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      EXPECT_EQ(body_of(kernel, i),
                kernel.first_copy + 3 * static_cast<std::uint64_t>(20 - sizes[i].count()));
      EXPECT_EQ(kernel.entries[i] % 64, 0U);
    }
  }
}

/// The lengths of the NOPs right in front of an entry's JMP.
std::vector<std::size_t> lead_of(const Kernel& kernel, std::size_t entry) {
  const auto code = std::span(kernel.code).subspan(kernel.entries[entry] - kernel.start);
  const std::size_t jump = entry_jump(code).value();
  std::vector<std::size_t> lengths;
  for (std::size_t offset = 0; offset < jump;) {
    const auto decoded = decode_one(code.subspan(offset));
    offset += decoded->instruction.length;
    if (decoded->instruction.mnemonic == ZYDIS_MNEMONIC_NOP) {
      lengths.push_back(decoded->instruction.length);
    } else {
      lengths.clear();
    }
  }
  return lengths;
}

TEST_F(KernelRun, AnyNumberOfNopsUpToEightLeadsToTheCopies) {
  const std::array<Iterations, 3> sizes = {Iterations(1), Iterations(2), Iterations(4)};
  for (const Features& features : {AssumedFeatures::near_jumps(), AssumedFeatures::drained()}) {
    const AssumedFeatures assumed(features);
    auto kernel =
        std::get<Kernel>(unroll(block_of("48ff03"), sizes, bhive_initial_state(), subject::kCode));
    const Bytes first = kernel.code;
    EXPECT_EQ(lead_of(kernel, 0).size(), 1U);
    for (std::size_t lead = 1; lead <= Kernel::kLeadBytes; ++lead) {
      kernel.set_lead(lead);
      for (std::size_t entry = 0; entry < sizes.size(); ++entry) {
        const auto lengths = lead_of(kernel, entry);
        EXPECT_EQ(lengths.size(), lead);
        EXPECT_EQ(std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}),
                  Kernel::kLeadBytes);
      }
      EXPECT_EQ(last_word_at_rbx(kernel, 1), kAddress + 2) << lead;
    }
    kernel.set_lead(1);
    EXPECT_EQ(kernel.code, first);
    EXPECT_THROW(kernel.set_lead(0), Error);
    EXPECT_THROW(kernel.set_lead(Kernel::kLeadBytes + 1), Error);
    // Nothing else was changed than what is loaded again.
    kernel.set_lead(3);
    kernel.set_size(1, Iterations(3));
    const auto changed = std::ranges::mismatch(kernel.code, first).in1 - kernel.code.begin();
    EXPECT_GE(kernel.start + static_cast<std::uint64_t>(changed), kernel.entries.front());
    EXPECT_EQ(kernel.entry_code().size(),
              kernel.code.size() - (kernel.entries.front() - kernel.start));
  }
}

TEST_F(KernelRun, AReturnLeadsToTheCopiesWhereverTheyLie) {
  const AssumedFeatures drained(AssumedFeatures::drained());
  const std::array<Iterations, 2> sizes = {Iterations(1), Iterations(3)};
  const Kernel kernel = std::get<Kernel>(
      unroll(block_of("48ff03"), sizes, bhive_initial_state(), subject::kCode + 0x4000));
  const Kernel moved = kernel.moved_to(subject::kCode);
  EXPECT_EQ(last_word_at_rbx(moved, 0), kAddress + 1);
  EXPECT_EQ(last_word_at_rbx(moved, 1), kAddress + 3);
  // mov rcx, rsp; ud2: the stack pointer is the state's again.
  const auto result = run(kernel_of("4889e10f0b"));
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->registers.rcx, kAddress);
}

TEST_F(KernelRun, AChainOfLoadsHoldsStoresWhereAReturnDrains) {
  const std::array<Iterations, 2> sizes = {Iterations(1), Iterations(3)};
  const auto made = [&](std::uint64_t address, bool holds_stores) {
    return std::get<Kernel>(
        unroll(block_of("48ff03"), sizes, bhive_initial_state(), address, {}, holds_stores));
  };
  std::string chain;
  for (int i = 0; i < 24; ++i) chain += "488b2424";  // mov rsp, [rsp]
  {
    const AssumedFeatures near(AssumedFeatures::near_jumps());
    EXPECT_EQ(made(subject::kCode, true).code, made(subject::kCode, false).code);
  }
  const AssumedFeatures drained(AssumedFeatures::drained());
  const Kernel kernel = made(subject::kCode + 0x4000, true);
  // lfence; ret; the chain; then RSP is loaded
  EXPECT_THAT(hex_from_bytes(kernel.code), testing::HasSubstr("0faee8c3" + chain + "bc00563412"));
  EXPECT_THAT(hex_from_bytes(made(subject::kCode, false).code),
              testing::Not(testing::HasSubstr("488b2424")));
  const Kernel moved = kernel.moved_to(subject::kCode);
  EXPECT_EQ(last_word_at_rbx(moved, 0), kAddress + 1);
  EXPECT_EQ(last_word_at_rbx(moved, 1), kAddress + 3);
  EXPECT_EQ(subject_.pages(), 1) << "the chain loads from code alone";
}

TEST_F(KernelRun, ASizeCanBeChanged) {
  const AssumedFeatures near(AssumedFeatures::near_jumps());
  const std::array<Iterations, 3> sizes = {Iterations(1), Iterations(2), Iterations(4)};
  auto kernel =
      std::get<Kernel>(unroll(block_of("48ff03"), sizes, bhive_initial_state(), subject::kCode));
  kernel.set_size(2, Iterations(3));
  kernel.set_size(0, Iterations(4));
  EXPECT_EQ(last_word_at_rbx(kernel, 0), kAddress + 4);
  EXPECT_EQ(last_word_at_rbx(kernel, 1), kAddress + 2);
  EXPECT_EQ(last_word_at_rbx(kernel, 2), kAddress + 3);
  Kernel moved = std::get<Kernel>(unroll(block_of("48ff03"), sizes, bhive_initial_state(),
                                         subject::kCode + 0x4000))
                     .moved_to(subject::kCode);
  moved.set_size(0, Iterations(4));
  moved.set_size(1, Iterations(1));
  EXPECT_EQ(last_word_at_rbx(moved, 0), kAddress + 4);
  EXPECT_EQ(last_word_at_rbx(moved, 1), kAddress + 1);
  EXPECT_THROW(kernel.set_size(0, Iterations(5)), Error);
}

TEST_F(KernelRun, EachSizeRunsItsCopies) {
  const std::array<Iterations, 3> sizes = {Iterations(1), Iterations(2), Iterations(4)};
  const auto kernel =
      std::get<Kernel>(unroll(block_of("48ff03"), sizes, bhive_initial_state(), subject::kCode));
  EXPECT_EQ(last_word_at_rbx(kernel, 0), kAddress + 1);
  EXPECT_EQ(last_word_at_rbx(kernel, 1), kAddress + 2);
  EXPECT_EQ(last_word_at_rbx(kernel, 2), kAddress + 4);
}

Kernel loop_of(const std::string& hex, std::int64_t copies,
               const std::array<std::int64_t, 3>& counts) {
  const std::array sizes = {Iterations(counts[0]), Iterations(counts[1]), Iterations(counts[2])};
  return std::get<Kernel>(
      loop(block_of(hex), Copies(copies), sizes, bhive_initial_state(), subject::kCode));
}

TEST_F(KernelRun, ALoopRunsItsTurnsOfItsCopies) {
  const Kernel kernel = loop_of("48ff03", 3, {1, 2, 7});  // inc qword ptr [rbx]
  EXPECT_EQ(last_word_at_rbx(kernel, 0), kAddress + 3);
  EXPECT_EQ(last_word_at_rbx(kernel, 1), kAddress + 6);
  EXPECT_EQ(last_word_at_rbx(kernel, 2), kAddress + 21);
}

TEST_F(KernelRun, ABlocksOwnBranchClosesTheLoop) {
  for (const char* branch : {
           "75f0",          // jne, taken after the increment
           "74f0",          // je, not taken
           "ebf0",          // jmp
           "e9f0ffffff",    // jmp, near
           "0f85f0ffffff",  // jne, near
           "0f84f0ffffff",
           "e3f0",  // jrcxz, not taken
           "e2f0",  // loop, taken
       }) {
    for (const std::int64_t copies : {1, 3}) {
      const Kernel kernel = loop_of(std::string("48ff03") + branch, copies, {1, 2, 7});
      const auto of = [&](std::uint64_t iterations) {
        return kAddress + iterations * static_cast<std::uint64_t>(copies);
      };
      EXPECT_EQ(last_word_at_rbx(kernel, 0), of(1)) << branch;
      EXPECT_EQ(last_word_at_rbx(kernel, 1), of(2)) << branch;
      EXPECT_EQ(last_word_at_rbx(kernel, 2), of(7)) << branch;
    }
  }
}

TEST_F(KernelRun, AShortBranchClosesALongLoop) {
  std::string nops;
  for (int i = 0; i < 200; ++i) nops += "90";
  for (const char* branch : {"75f0", "74f0", "ebf0", "e3f0", "e2f0"}) {
    const Kernel kernel = loop_of(nops + "48ff03" + branch, 2, {1, 2, 7});
    EXPECT_EQ(last_word_at_rbx(kernel, 0), kAddress + 2) << branch;
    EXPECT_EQ(last_word_at_rbx(kernel, 2), kAddress + 14) << branch;
  }
}

TEST_F(KernelRun, TheCounterIsARegisterThatTheBlockLeavesAlone) {
  // inc qword ptr [rbx], and code that uses all general registers but r8 and rdx, or fewer: one
  // that is left counts the iterations
  const std::string all_but_r8_and_rdx =
      "48ff034801c84801d84801e84801f04801f84c01c84c01d04c01d84c01e04c01e84c01f04c01f8";
  EXPECT_EQ(last_word_at_rbx(loop_of(all_but_r8_and_rdx, 1, {1, 2, 7}), 2), kAddress + 7);
  const std::string all_but_rdx = all_but_r8_and_rdx + "4d85c0";
  EXPECT_EQ(last_word_at_rbx(loop_of(all_but_rdx, 1, {1, 2, 7}), 2), kAddress + 7);
  const auto refused = loop(block_of(all_but_rdx + "4885d2"), Copies(1), std::array{Iterations(1)},
                            bhive_initial_state(), subject::kCode);
  ASSERT_TRUE(std::holds_alternative<Outcome>(refused));
  EXPECT_EQ(std::get<Outcome>(refused).reason, Reason::kNoFreeRegister);
}

TEST_F(KernelRun, TheStatesOwnCodeRunsBeforeTheFirstCopy) {
  // mov eax, 5; mov edx, 6; lea rsp, [rsp + 16]; mov qword ptr [rbx], 7; stc
  InitialState state = bhive_initial_state();
  state.code = bytes_from_hex("b805000000ba06000000488d64241048c70307000000f9");
  const auto kernel = std::get<Kernel>(
      unroll(block_of("488b0b0f0b"), std::array{Iterations(1)}, state, subject::kCode));
  const auto result = run(kernel);
  ASSERT_TRUE(result.fault.has_value());
  const user_regs_struct& r = result.fault->registers;
  EXPECT_EQ(r.rax, 5U);
  EXPECT_EQ(r.rdx, 6U);
  EXPECT_EQ(r.rcx, 7U);
  EXPECT_EQ(r.rsp, kAddress + 16);
  EXPECT_EQ(r.eflags & 0x8d5, 0U);
}

TEST(Kernel, LocatesCopies) {
  const Kernel kernel = kernel_of("4801d8", 3);
  EXPECT_FALSE(kernel.locate(kernel.first_copy - 1));
  EXPECT_EQ(kernel.locate(kernel.first_copy)->copy, 0);
  const auto place = kernel.locate(kernel.first_copy + 7);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->copy, 2);
  EXPECT_EQ(place->offset, 1U);
  EXPECT_FALSE(kernel.locate(kernel.first_copy + 9));
}

TEST(Kernel, BoundHolds) {
  const Block block = block_of("62f17c4858c1");  // vaddps zmm0, zmm0, zmm1
  InitialState state = bhive_initial_state();
  state.general.fill(~0ULL);
  state.code = bytes_from_hex("90909090");
  const std::array<Iterations, 3> sizes = {Iterations(25), Iterations(50), Iterations(100)};
  for (const Features& features :
       {AssumedFeatures::near_jumps(), AssumedFeatures::far_jumps(), AssumedFeatures::drained()}) {
    const AssumedFeatures assumed(features);
    for (const bool holds_stores : {false, true}) {
      const auto kernel =
          std::get<Kernel>(unroll(block, sizes, state, subject::kCode, {}, holds_stores));
      EXPECT_LE(kernel.code.size(), kernel_size_bound(block, Copies(100), 3, state));
    }
  }
  EXPECT_EQ(kernel_size_bound(block, Copies(101), 3, state) -
                kernel_size_bound(block, Copies(100), 3, state),
            6U);
}

Reason refusal_of(const std::string& hex) {
  const auto made =
      unroll(block_of(hex), std::array{Iterations(4)}, bhive_initial_state(), subject::kCode);
  const auto* refusal = std::get_if<Outcome>(&made);
  return refusal ? refusal->reason : Reason::kNone;
}

TEST(Kernel, RefusesTargetsOutOfReach) {
  EXPECT_EQ(refusal_of("488b0d0000007f"), Reason::kRipRelativeRange);  // rip + 0x7f000000
  EXPECT_EQ(refusal_of("488b0d00000080"), Reason::kNone);              // rip - 0x80000000
}

TEST(Kernel, RefusesTargetsInItsOwnMemory) {
  // From kRipBase back to the code area, 508 MiB below, and to the control area.
  EXPECT_EQ(refusal_of("488b0d000040e0"), Reason::kRipRelativeRange);
  EXPECT_EQ(refusal_of("488b0d000020e0"), Reason::kRipRelativeRange);
  EXPECT_EQ(refusal_of("488b0d000080e0"), Reason::kNone);
}

TEST(Kernel, RefusesAddressesOfItsOwnMemory) {
  EXPECT_EQ(refusal_of("48bb00002000c75e00008903"),
            Reason::kSubjectMemory);                                      // movabs rbx, kControl
  EXPECT_EQ(refusal_of("48a3ffff7f00c75e0000"), Reason::kSubjectMemory);  // the area's last byte
  EXPECT_EQ(refusal_of("48a300008000c75e0000"), Reason::kNone);           // behind the area
}

TEST(Kernel, AlignsRipRelativeAccesses) {
  // movaps xmm0, [rip + 0x101] and nothing else: aligned only under a shift
  const Kernel kernel = kernel_of("0f280501010000");
  std::uint32_t displacement = 0;
  const std::uint64_t end = kernel.first_copy + 7;
  for (int i = 3; i >= 0; --i) {
    displacement =
        displacement << 8 | kernel.code[end - subject::kCode - 4 + static_cast<std::uint64_t>(i)];
  }
  EXPECT_EQ((end + displacement) % 16, 0U);
}

TEST(Kernel, KeepsTheReadingInAVectorRegisterWhenAllGeneralOnesAreUsed) {
  const Kernel kernel = kernel_of(
      "4801c84801d04801d84801e04801e84801f04801f84c01c04c01c84c01d04c01d84c01e04c01e84c01f04c01f8");
  const std::string to_vector = features().avx ? "0f31c5796ef8" : "0f3166440f6ef8";
  EXPECT_THAT(hex_from_bytes(kernel.code), testing::HasSubstr(to_vector));
}

TEST(Kernel, RefusesABlockThatLeavesNoRegister) {
  std::string all =
      "4801c84801d04801d84801e04801e84801f04801f84c01c04c01c84c01d04c01d84c01e04c01e84c01f0"
      "4c01f8";
  for (const char* xor_vector :
       {"0f57c0", "0f57c9", "0f57d2", "0f57db", "0f57e4", "0f57ed", "0f57f6", "0f57ff", "450f57c0",
        "450f57c9", "450f57d2", "450f57db", "450f57e4", "450f57ed", "450f57f6", "450f57ff"}) {
    all += xor_vector;
  }
  // vpxord xmm16, xmm16, xmm16 to xmm31, which only AVX-512 has
  for (const char* xor_vector : {"62a17d00efc0", "62a17500efc9", "62a16d00efd2", "62a16500efdb",
                                 "62a15d00efe4", "62a15500efed", "62a14d00eff6", "62a14500efff",
                                 "62013d00efc0", "62013500efc9", "62012d00efd2", "62012500efdb",
                                 "62011d00efe4", "62011500efed", "62010d00eff6", "62010500efff"}) {
    EXPECT_EQ(refusal_of(all), features().avx512 ? Reason::kNone : Reason::kNoFreeRegister);
    all += xor_vector;
  }
  EXPECT_EQ(refusal_of(all), Reason::kNoFreeRegister);
}

/// Expects that two kernels are the same in every byte and address.
void expect_equal(const Kernel& moved, const Kernel& made) {
  EXPECT_EQ(hex_from_bytes(moved.code), hex_from_bytes(made.code));
  EXPECT_EQ(moved.start, made.start);
  EXPECT_EQ(moved.entries, made.entries);
  EXPECT_EQ(moved.first_copy, made.first_copy);
  EXPECT_EQ(moved.copies, made.copies);
  EXPECT_EQ(moved.block_size, made.block_size);
}

TEST(MovedKernel, IsTheOneThatWouldHaveBeenMadeThere) {
  constexpr std::uint64_t kThere = subject::kCode + 0x4'2040;
  const std::array<Iterations, 3> sizes = {Iterations(3), Iterations(6), Iterations(12)};
  InitialState with_code = distinct_initial_state();
  with_code.code = bytes_from_hex("4801d8");
  const TimeStamps stamps{4, 3};
  // add rax, rbx; mov rax, [rip + 0x1000]; vaddps ymm with a RIP-relative operand; branches that
  // are taken or not, near and short; mov rax, [absolute].
  for (const char* hex : {"4801d8", "488b0500100000", "c5f45805f0ffff0f", "4801d875fb",
                          "4801d8e9f8ffffff", "488b042500563412"}) {
    const Block block = std::get<Block>(decode(bytes_from_hex(hex)));
    for (const InitialState& state : {distinct_initial_state(), with_code}) {
      SCOPED_TRACE(hex);
      for (const bool far : {false, true}) {
        const AssumedFeatures assumed(far ? AssumedFeatures::far_jumps()
                                          : AssumedFeatures::near_jumps());
        const auto in_row = [&](std::uint64_t address) {
          return std::get<Kernel>(unroll(block, sizes, state, address, stamps));
        };
        expect_equal(in_row(subject::kCode).moved_to(kThere), in_row(kThere));
        const auto looped = [&](std::uint64_t address) {
          return std::get<Kernel>(loop(block, Copies(2), sizes, state, address));
        };
        expect_equal(looped(kThere).moved_to(subject::kCode), looped(subject::kCode));
      }
    }
  }
}

}  // namespace
}  // namespace assay

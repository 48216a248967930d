#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "profiler/block/assembler.h"
#include "profiler/block/text.h"
#include "profiler/codegen/kernel.h"
#include "profiler/machine/features.h"
#include "profiler/subject/subject.h"
#include "profiler/support/error.h"
#include "tests/profiler/block/block_of.h"
#include "tests/profiler/machine/assumed_features.h"
#include "tests/profiler/subject/rdpmc.h"

namespace assay {
namespace {

constexpr std::uint64_t kInRegisters = 0x12345600;  // what registers hold in the initial state
constexpr std::array<Iterations, 1> kTwoCopies = {Iterations(2)};
// Indices for RDPMC: counter 3, Intel's second fixed counter, and counter 0.
constexpr std::array<std::uint32_t, 3> kThreeCounters = {3, 0x40000001, 0};

// xor of each general register but RSP with itself
constexpr const char* kAllGeneral =
    "31c031c931d231db31ed31f631ff4531c04531c94531d24531db4531e44531ed4531f64531ff";
// xor of each general register with itself, without RSP, R15, R14, RCX, RAX and RDX
constexpr const char* kMostGeneral = "31db31ed31f631ff4531c04531c94531d24531db4531e44531ed";

/// Code that xors each vector register from `first` to `last`, at most 31, with itself.
std::string vectors(std::size_t first, std::size_t last) {
  static constexpr std::array kAll = {
      // xorps
      "0f57c0", "0f57c9", "0f57d2", "0f57db", "0f57e4", "0f57ed", "0f57f6", "0f57ff", "450f57c0",
      "450f57c9", "450f57d2", "450f57db", "450f57e4", "450f57ed", "450f57f6", "450f57ff",
      // vpxord, from XMM16 on
      "62a17d00efc0", "62a17500efc9", "62a16d00efd2", "62a16500efdb", "62a15d00efe4",
      "62a15500efed", "62a14d00eff6", "62a14500efff", "62013d00efc0", "62013500efc9",
      "62012d00efd2", "62012500efdb", "62011d00efe4", "62011500efed", "62010d00eff6",
      "62010500efff"};
  std::string all;
  for (std::size_t i = first; i <= last; ++i) all += kAll.at(i);
  return all;
}

Kernel kernel_of(const std::string& hex, CounterIndices counters,
                 const InitialState& state = bhive_initial_state()) {
  return std::get<Kernel>(unroll(block_of(hex), kTwoCopies, state, subject::kCode, counters));
}

std::vector<std::uint32_t> first_counters(std::size_t count) {
  std::vector<std::uint32_t> counters(count);
  for (std::size_t i = 0; i < count; ++i) counters[i] = static_cast<std::uint32_t>(i);
  return counters;
}

constexpr const char* kLfence = "0faee8";
// lfence; a NOP of eight bytes; jmp
constexpr const char* kLfenceAndJump = "0faee80f1f840000000000e9";

/// The code of an entry from its first LFENCE to the one in front of its jump to the copies.
std::string start_of(const Kernel& kernel) {
  const std::string code = hex_from_bytes(kernel.code);
  const std::size_t entry = 2 * static_cast<std::size_t>(kernel.entries.front() - kernel.start);
  const std::size_t start = code.find(kLfence, entry);
  const std::size_t end = code.find(kLfenceAndJump, entry);
  if (end == std::string::npos || start == std::string::npos) return "not there";
  return text_of(bytes_from_hex(code.substr(start, end + 6 - start)));
}

/// The code behind the copies, up to the last LFENCE.
std::string end_of(const Kernel& kernel) {
  const auto copies = static_cast<std::size_t>(kernel.first_copy - kernel.start) +
                      kernel.block_size * static_cast<std::size_t>(kernel.copies);
  const auto entry = static_cast<std::size_t>(kernel.entries.front() - kernel.start);
  const std::string code = hex_from_bytes(kernel.code).substr(2 * copies, 2 * (entry - copies));
  return text_of(bytes_from_hex(code.substr(0, code.rfind(kLfence) + 6)));
}

class CounterKernelText : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_assemble()) GTEST_SKIP() << "this build has no LLVM: its texts are Zydis's";
  }

 private:
  const AssumedFeatures near_jumps_{AssumedFeatures::near_jumps()};
};

TEST_F(CounterKernelText, ReadsEachCounterBeforeTheCopiesAndAgainBehindThem) {
  const Kernel kernel = kernel_of("4801d8", kThreeCounters);
  EXPECT_EQ(kernel.counts, 3U);
  EXPECT_EQ(start_of(kernel),
            "lfence; mov ecx, 3; rdpmc; mov r15d, eax; lfence; mov ecx, 1073741825; rdpmc; mov "
            "r14d, eax; "
            "lfence; mov ecx, 0; rdpmc; mov r13d, eax; mov eax, 1; add eax, 0; mov eax, 305419776; "
            "mov ecx, 305419776; mov edx, 305419776; mov esp, 305419776; lfence");
  EXPECT_EQ(end_of(kernel),
            "lfence; mov ecx, 3; rdpmc; sub eax, r15d; mov r15d, eax; lfence; mov ecx, 1073741825; "
            "rdpmc; "
            "sub eax, r14d; mov r14d, eax; lfence; mov ecx, 0; rdpmc; sub eax, r13d; mov r13d, "
            "eax; lfence");
}

TEST_F(CounterKernelText, KeepsReadingsInVectorRegistersWhenAllGeneralOnesAreUsed) {
  if (!features().avx) GTEST_SKIP() << "this CPU or system has no AVX";
  const Kernel kernel = kernel_of(kAllGeneral, first_counters(2));
  EXPECT_EQ(
      start_of(kernel),
      "lfence; mov ecx, 0; rdpmc; vmovd xmm15, eax; lfence; mov ecx, 1; rdpmc; vmovd xmm14, eax; "
      "mov eax, 1; add eax, 0; mov eax, 305419776; mov ecx, 305419776; mov edx, 305419776; "
      "mov esp, 305419776; lfence");
  EXPECT_EQ(end_of(kernel),
            "lfence; mov ecx, 0; rdpmc; vmovd edx, xmm15; sub eax, edx; vmovd xmm15, eax; "
            "lfence; mov ecx, 1; rdpmc; vmovd edx, xmm14; sub eax, edx; vmovd xmm14, eax; lfence");
}

TEST_F(CounterKernelText, KeepsReadingsInHighVectorRegistersWhenAllOthersAreUsed) {
  if (!features().avx512) GTEST_SKIP() << "this CPU or system has no AVX-512";
  const Kernel kernel = kernel_of(kMostGeneral + vectors(0, 15), first_counters(3));
  EXPECT_EQ(start_of(kernel),
            "lfence; mov ecx, 0; rdpmc; mov r15d, eax; lfence; mov ecx, 1; rdpmc; mov r14d, eax; "
            "lfence; mov ecx, 2; rdpmc; vmovd xmm31, eax; "
            "mov eax, 1; add eax, 0; mov eax, 305419776; mov ecx, 305419776; mov edx, 305419776; "
            "mov esp, 305419776; lfence");
  // vpxord xmm31, xmm31, xmm31
  EXPECT_THAT(hex_from_bytes(kernel.code), testing::HasSubstr("62010500efff"));
}

TEST_F(CounterKernelText, ReloadsWhatTheStatesOwnCodeLeftBehindTheLastReading) {
  InitialState state = bhive_initial_state();
  state.code = bytes_from_hex("90");
  const std::string start = start_of(kernel_of("4801d8", first_counters(2), state));
  const std::size_t load = start.find('[');
  EXPECT_GT(load, start.rfind("rdpmc"));
  EXPECT_THAT(
      start.substr(start.rfind("mov r14d, eax")),
      testing::MatchesRegex("mov r14d, eax; mov eax, 1; add eax, 0; mov rax, qword ptr \\[[^;]*; "
                            "mov rcx, qword ptr \\[[^;]*; mov rdx, qword ptr \\[[^;]*; "
                            "mov rsp, qword ptr \\[[^;]*; lfence"));
}

TEST(CounterKernel, RefusesABlockThatLeavesTooFewRegisters) {
  // The block leaves two vector registers, with AVX-512 and without.
  const Block block = block_of(kAllGeneral + vectors(2, 31));
  const auto make = [&](std::size_t counters) {
    return unroll(block, kTwoCopies, bhive_initial_state(), subject::kCode,
                  first_counters(counters));
  };
  EXPECT_TRUE(std::holds_alternative<Kernel>(make(2)));
  const auto refused = make(3);
  ASSERT_TRUE(std::holds_alternative<Outcome>(refused));
  EXPECT_EQ(std::get<Outcome>(refused).reason, Reason::kNoFreeRegister);
  EXPECT_EQ(std::get<Outcome>(refused).detail, "it leaves 2 registers for 3 readings");
}

TEST(CounterKernel, RcxKeepsAReadingOnlyOfTheTimeStampCounter) {
  // The block uses all registers but RAX, RCX and RDX.
  const Block block = block_of(std::string(kMostGeneral) + "4531f64531ff" + vectors(0, 31));
  const auto make = [&](CounterIndices counters) {
    return unroll(block, kTwoCopies, bhive_initial_state(), subject::kCode, counters);
  };
  const auto by_rdtsc = make({});
  // lfence; rdtsc; mov ecx, eax
  EXPECT_THAT(hex_from_bytes(std::get<Kernel>(by_rdtsc).code),
              testing::HasSubstr("0faee80f314089c1"));
  EXPECT_TRUE(std::holds_alternative<Outcome>(make(first_counters(1))));
}

TEST(CounterKernel, MoreCountersThanThereIsRoomForAreAnError) {
  EXPECT_THROW(kernel_of("90", first_counters(subject::kMaxCounters + 1)), Error);
}

TEST(CounterKernel, BoundHolds) {
  // The block leaves only registers for which the code of a counter is the longest.
  const Block block = block_of(kAllGeneral + (features().avx512 ? vectors(0, 15) : ""));
  InitialState state = bhive_initial_state();
  state.general.fill(~0ULL);
  state.code = bytes_from_hex("90909090");
  const std::array<Iterations, 3> sizes = {Iterations(25), Iterations(50), Iterations(100)};
  const auto counters = first_counters(subject::kMaxCounters);
  const auto size = [&](CounterIndices indices) {
    return std::get<Kernel>(unroll(block, sizes, state, subject::kCode, indices)).code.size();
  };
  const std::size_t bound = kernel_size_bound(block, Copies(100), 3, state, counters);
  EXPECT_LE(size(counters), bound);
  // The counters' code must not use room that the bound leaves for other parts.
  EXPECT_LE(size(counters) - size({}), bound - kernel_size_bound(block, Copies(100), 3, state));
}

/// Simulated counters that only count their own readings, each by a step of its own, so that any
/// two readings of a counter are one step apart.
class SimulatedCounters {
 public:
  std::uint64_t first_value = 1000;  ///< value of each counter before a run

  bool read(user_regs_struct& registers) {
    const auto counter = static_cast<std::uint32_t>(registers.rcx);
    std::uint64_t& value = values_.try_emplace(counter, first_value).first->second;
    reads.push_back(counter);
    registers.rax = static_cast<std::uint32_t>(value);
    registers.rdx = value >> 32;
    registers.rip += 2;
    value += step(counter);
    return true;
  }
  static std::uint32_t step(std::uint32_t counter) { return 7 + 100 * (counter & 0xff); }

  std::vector<std::uint32_t> reads;

 private:
  std::map<std::uint32_t, std::uint64_t> values_;
};

class CounterKernelRun : public testing::Test {
 protected:
  void SetUp() override {
    if (!rdpmc_faults()) GTEST_SKIP() << "this system lets every process use RDPMC";
  }
  CounterKernelRun() {
    subject_.emulate_rdpmc(
        [this](user_regs_struct& registers) { return simulated_.read(registers); });
  }

  subject::SeriesResult run(const Kernel& kernel, std::size_t entry = 0, std::uint32_t rounds = 1) {
    const InitialState state = bhive_initial_state();
    subject_.load_code(0, kernel.code);
    const std::array entries = {kernel.entries[entry]};
    const auto result = subject_.run({.kernels = entries,
                                      .rounds = rounds,
                                      .fill_word = state.memory_word,
                                      .segment_base = state.segment_base,
                                      .counters = static_cast<std::uint32_t>(kernel.counts)},
                                     {});
    EXPECT_FALSE(result.fault) << name(result.fault->outcome.reason) << " "
                               << result.fault->outcome.detail;
    return result;
  }

  /// Expects that each counter has counted its step in each round.
  void expect_steps(const Kernel& kernel, std::span<const std::uint32_t> counters) {
    simulated_.reads.clear();
    constexpr std::uint32_t kRounds = 3;
    const auto result = run(kernel, 0, kRounds);
    std::vector<std::uint32_t> steps;
    std::vector<std::uint32_t> order;
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      for (const std::uint32_t counter : counters) {
        steps.push_back(SimulatedCounters::step(counter));
      }
      for (int i = 0; i < 2; ++i) order.insert(order.end(), counters.begin(), counters.end());
    }
    EXPECT_THAT(result.readings, testing::ElementsAreArray(steps));
    EXPECT_EQ(simulated_.reads, order);
  }

  /// The word at [rbx] after the latest run, by running mov rcx, qword ptr [rbx]; ud2.
  std::uint64_t word_at_rbx() {
    const Kernel reader = kernel_of("488b0b0f0b", {});
    subject_.load_code(0, reader.code);
    const auto result = subject_.run({.kernels = reader.entries, .refill_mask = 0}, {});
    return result.fault.value_or(subject::Fault{}).registers.rcx;
  }

  SimulatedCounters simulated_;
  subject::Subject subject_;
};

TEST_F(CounterKernelRun, UnrolledCountsEachCounter) {
  for (const std::size_t count : {1, 2, 8, 16}) {
    const auto counters = first_counters(count);
    expect_steps(kernel_of("4801d8", counters), counters);
    expect_steps(kernel_of(kMostGeneral, counters), counters);  // two in general registers
    expect_steps(kernel_of(kAllGeneral, counters), counters);   // all in vector registers
    if (features().avx512 || count <= 4) {
      expect_steps(kernel_of(kAllGeneral + vectors(0, 11), counters), counters);
    }
  }
  expect_steps(kernel_of("4801d8", kThreeCounters), kThreeCounters);
}

TEST_F(CounterKernelRun, LoopedCountsEachCounter) {
  for (const char* branch : {"", "75fb"}) {  // jne
    for (const std::size_t count : {1, 8}) {
      const auto counters = first_counters(count);
      const auto made = loop(block_of(std::string("48ff03") + branch), Copies(3), kTwoCopies,
                             bhive_initial_state(), subject::kCode, counters);
      run(std::get<Kernel>(made));  // maps the page
      expect_steps(std::get<Kernel>(made), counters);
    }
  }
}

TEST_F(CounterKernelRun, RcxCountsTurnsThoughReadingsNeedIt) {
  // inc qword ptr [rbx] and all general registers but RAX, RCX and RDX; and again with RCX and RDX
  const std::string block =
      "48ff034885ed4885f64885ff4d85c04d85c94d85d24d85db4d85e44d85ed4d85f64d85ff";
  for (const char* more : {"", "4885c94885d2"}) {
    const auto counters = first_counters(2);
    const auto made = loop(block_of(block + more), Copies(1), std::array{Iterations(7)},
                           bhive_initial_state(), subject::kCode, counters);
    const Kernel& kernel = std::get<Kernel>(made);
    // mov eax, 7 or mov ecx, 7
    EXPECT_THAT(hex_from_bytes(kernel.code),
                testing::HasSubstr(*more ? "b807000000" : "b907000000"));
    run(kernel);
    expect_steps(kernel, counters);
    EXPECT_EQ(word_at_rbx(), kInRegisters + 7);
    subject_.unmap_all();
  }
}

TEST_F(CounterKernelRun, TheBlockFindsTheInitialStateInAllRegistersOfReadings) {
  InitialState state = bhive_initial_state();
  const auto registers = [&] {
    const Kernel kernel = kernel_of("0f0b", first_counters(3), state);
    subject_.load_code(0, kernel.code);
    const auto result = subject_.run({.kernels = kernel.entries, .counters = 3}, {});
    return result.fault.value_or(subject::Fault{}).registers;
  };
  const user_regs_struct plain = registers();
  EXPECT_THAT((std::array{plain.rax, plain.rcx, plain.rdx, plain.rbx}),
              testing::Each(kInRegisters));
  // mov eax, 5; mov ecx, 6; mov edx, 7
  state.code = bytes_from_hex("b805000000b906000000ba07000000");
  const user_regs_struct own = registers();
  EXPECT_THAT((std::array{own.rax, own.rcx, own.rdx}), testing::ElementsAre(5, 6, 7));
}

TEST_F(CounterKernelRun, ACountThatPassesTheLowHalfIsRight) {
  simulated_.first_value = 0xffff'ffff;
  const auto counters = first_counters(2);
  expect_steps(kernel_of("4801d8", counters), counters);
  simulated_ = {};
  simulated_.first_value = 0xffff'ffff'ffff;
  expect_steps(kernel_of(kAllGeneral, counters), counters);
}

TEST_F(CounterKernelRun, ASizeOfZeroRunsNoCopy) {
  constexpr std::array<Iterations, 2> kSizes = {Iterations(0), Iterations(2)};
  // inc qword ptr [rbx], alone and with jne
  for (const char* hex : {"48ff03", "48ff0375fb"}) {
    for (const CounterIndices counters : {CounterIndices{}, CounterIndices(kThreeCounters)}) {
      const InitialState state = bhive_initial_state();
      for (const auto& made :
           {unroll(block_of(hex), kSizes, state, subject::kCode, counters),
            loop(block_of(hex), Copies(1), kSizes, state, subject::kCode, counters)}) {
        const Kernel& kernel = std::get<Kernel>(made);
        EXPECT_EQ(run(kernel, 0).pages_mapped, 0);
        EXPECT_EQ(run(kernel, 1).pages_mapped, 1);
        EXPECT_EQ(run(kernel, 0).readings.size(), kernel.counts);
        subject_.unmap_all();
      }
    }
  }
  const auto none = unroll(block_of("48ff03"), std::array{Iterations(0)}, bhive_initial_state(),
                           subject::kCode, kThreeCounters);
  expect_steps(std::get<Kernel>(none), kThreeCounters);
  EXPECT_EQ(subject_.pages(), 0);
}

}  // namespace
}  // namespace assay

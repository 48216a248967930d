#include "profiler/subject/subject.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "profiler/block/bytes.h"
#include "profiler/subject/confinement.h"
#include "profiler/support/error.h"

namespace assay::subject {
namespace {

using namespace std::chrono_literals;

/// Runs raw machine code in place of a kernel. The code is not decoded before, as if every rule
/// about blocks had a hole. It begins with the initial registers of a call and ends with ret (c3).
class SubjectTest : public testing::Test {
 protected:
  SeriesResult run(const std::string& hex, Limits limits = {}) {
    subject_.load_code(0, bytes_from_hex(hex));
    return run_loaded(limits);
  }
  SeriesResult run_loaded(Limits limits = {}) {
    const std::array<std::uint64_t, 1> entries = {kCode};
    return subject_.run({entries, 1, ~0U, 0x1122334455667788, 0}, limits);
  }
  SeriesResult run_on(int frames, const std::string& hex, std::uint64_t refill_mask = ~0ULL) {
    subject_.load_code(0, bytes_from_hex(hex));
    const std::array<std::uint64_t, 1> entries = {kCode};
    return subject_.run({entries, 1, refill_mask, 0x1122334455667788, 0, 127, frames}, {});
  }
  Fault fault_of(const std::string& hex, Limits limits = {}) {
    return run(hex, limits).fault.value_or(Fault{});
  }
  /// Expects that the subject still works.
  void expect_works() {
    const auto result = run("c3");
    EXPECT_FALSE(result.fault) << name(result.fault->outcome.reason) << " "
                               << result.fault->outcome.detail;
    EXPECT_EQ(result.readings.size(), 1U);
  }
  std::set<std::string> mapped_ranges() const {
    std::ifstream maps("/proc/" + std::to_string(subject_.pid()) + "/maps");
    std::set<std::string> ranges;
    for (std::string line; std::getline(maps, line);) ranges.insert(line.substr(0, line.find(' ')));
    return ranges;
  }

  std::uint64_t word_at(std::uint64_t address) const {
    std::ifstream memory("/proc/" + std::to_string(subject_.pid()) + "/mem", std::ios::binary);
    memory.seekg(static_cast<std::streamoff>(address));
    std::uint64_t word = 0;
    memory.read(reinterpret_cast<char*>(&word), sizeof word);
    return word;
  }

  std::vector<std::uint32_t> page_at(std::uint64_t address) const {
    std::ifstream memory("/proc/" + std::to_string(subject_.pid()) + "/mem", std::ios::binary);
    memory.seekg(static_cast<std::streamoff>(address));
    std::vector<std::uint32_t> words(kPageSize / sizeof(std::uint32_t));
    memory.read(reinterpret_cast<char*>(words.data()), kPageSize);
    EXPECT_TRUE(memory.good()) << std::hex << address;
    return words;
  }

  Subject subject_;
};

TEST_F(SubjectTest, HasAlmostNothingMapped) {
  for (const std::string& range : mapped_ranges()) {
    if (range.starts_with("ffffffff")) continue;  // the vsyscall page, which is the kernel's
    EXPECT_TRUE(is_own_address(std::stoull(range, nullptr, 16))) << range;
  }
}

TEST_F(SubjectTest, HasNoRightsLeft) {
  const Confinement confinement = confinement_of(subject_.pid());
  EXPECT_TRUE(confinement.filters_system_calls);
  EXPECT_TRUE(confinement.no_new_privileges);
  EXPECT_TRUE(confinement.no_capabilities);
  std::ifstream limits("/proc/" + std::to_string(subject_.pid()) + "/limits");
  int found = 0;
  for (std::string line; std::getline(limits, line);) {
    for (const char* name : {"Max open files", "Max file size", "Max processes", "Max core file"}) {
      if (!line.starts_with(name)) continue;
      EXPECT_THAT(line, testing::ContainsRegex(" 0 +0 ")) << line;
      ++found;
    }
  }
  EXPECT_EQ(found, 4);
}

TEST(Confinement, OfThisProcessIsAnother) {
  EXPECT_FALSE(confinement_of(getpid()).no_vdso);
  EXPECT_EQ(confinement_of(-1), Confinement{});
}

TEST(Confinement, IsToldWithWhatIsMissing) {
  Confinement confinement;
  EXPECT_FALSE(all_walls_in_force(confinement));
  EXPECT_EQ(walls_text(confinement, true), "none");
  for (const Wall& wall : all_walls()) confinement.*wall.holds = true;
  EXPECT_TRUE(all_walls_in_force(confinement));
  EXPECT_EQ(walls_text(confinement, false), "none");
  confinement.no_vdso = false;
  EXPECT_FALSE(all_walls_in_force(confinement));
  EXPECT_EQ(walls_text(confinement, true),
            "system-call filter, no new privileges, no capabilities");
  EXPECT_EQ(walls_text(confinement, false), "no vDSO");
}

TEST_F(SubjectTest, HasNoDescriptorButItsTwo) {
  const std::string folder = "/proc/" + std::to_string(subject_.pid()) + "/fd/";
  EXPECT_EQ(access((folder + "3").c_str(), F_OK), 0);
  EXPECT_EQ(access((folder + "4").c_str(), F_OK), 0);
  for (int number = 0; number < 100; ++number) {
    if (number == kArenaDescriptor || number == kFrameDescriptor) continue;
    EXPECT_NE(access((folder + std::to_string(number)).c_str(), F_OK), 0) << number;
  }
}

/// mov rax, address; mov dword ptr [rax], value
Bytes storing(std::uint64_t address, std::uint32_t value) {
  Bytes code = {0x48, 0xb8};
  for (int i = 0; i < 8; ++i) code.push_back(static_cast<std::uint8_t>(address >> (8 * i)));
  code.insert(code.end(), {0xc7, 0x00});
  for (int i = 0; i < 4; ++i) code.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  return code;
}

/// A kernel that stores this number as its count.
Bytes kernel_of_ticks(std::uint8_t ticks) {
  Bytes code = storing(kReport + offsetof(Report, counts), ticks);
  code.push_back(0xc3);  // ret
  return code;
}

TEST_F(SubjectTest, RunsASeriesOfSeveralKernels) {
  subject_.load_code(0, kernel_of_ticks(5));
  subject_.load_code(256, kernel_of_ticks(7));
  const std::array<std::uint64_t, 2> entries = {kCode, kCode + 256};
  const auto result = subject_.run({entries, 3, ~0U, 0, 0}, {});
  ASSERT_FALSE(result.fault) << result.fault->outcome.detail;
  EXPECT_THAT(result.readings, testing::ElementsAre(5, 7, 5, 7, 5, 7));
}

TEST_F(SubjectTest, MapsAMissingPageAndGoesOn) {
  // mov eax, 0x12345600; mov rcx, [rax]; ud2
  const auto result = run("b800563412488b080f0b");
  EXPECT_EQ(result.pages_mapped, 1);
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->outcome.reason, Reason::kUnsupportedInstruction);
  EXPECT_EQ(result.fault->registers.rcx, 0x1122334455667788U);
  EXPECT_EQ(subject_.pages(), 1);
}

TEST_F(SubjectTest, MapsTwoPagesForOneInstruction) {
  // mov eax, 0x12345ffc; mov rcx, [rax]; ret: eight bytes across two pages
  const auto result = run("b8fc5f3412488b08c3");
  EXPECT_FALSE(result.fault);
  EXPECT_EQ(result.pages_mapped, 2);
}

TEST_F(SubjectTest, MapsSourceAndDestinationOfAStringMove) {
  // mov esi, 0x12345ffc; mov edi, 0x23456ffc; mov ecx, 3; rep movsd; ret: one instruction touches
  // four pages
  const auto result = run("befc5f3412bffc6f4523b903000000f3a5c3");
  EXPECT_FALSE(result.fault);
  EXPECT_EQ(result.pages_mapped, 4);
}

TEST_F(SubjectTest, RunsCleanlyTheSecondTime) {
  EXPECT_EQ(run("b800563412488b08c3").pages_mapped, 1);
  const auto again = run_loaded();
  EXPECT_EQ(again.pages_mapped, 0);
  EXPECT_EQ(again.readings.size(), 1U);
}

TEST_F(SubjectTest, KnowsWhatItHasMapped) {
  EXPECT_EQ(subject_.unexpected_mapping(), std::nullopt);
  run("b800563412488b08c3");  // mov eax, 0x12345600; mov rcx, [rax]; ret
  EXPECT_EQ(subject_.unexpected_mapping(), std::nullopt);
  subject_.unmap_all();  // stays mapped until the next series
  subject_.expect(0x7000'0000, {});
  EXPECT_EQ(subject_.unexpected_mapping(), std::nullopt);
  // mov eax, 0x12345000; mov rcx, [rax]; mov ecx, [rax + 0x1000]; ret
  EXPECT_EQ(run("b800503412488b088b8800100000c3").pages_mapped, 2);
  EXPECT_EQ(subject_.unexpected_mapping(), std::nullopt);
}

TEST_F(SubjectTest, UnmapsEverythingAgain) {
  const auto before = mapped_ranges();
  run("b8fc5f3412488b08c3");
  EXPECT_NE(mapped_ranges(), before);
  subject_.unmap_all();
  EXPECT_EQ(subject_.pages(), 0);
  run("c3");  // pages are mapped at the start of the next series
  EXPECT_EQ(mapped_ranges(), before);
}

TEST_F(SubjectTest, MapsExpectedPagesBeforeTheyAreMissed) {
  const Limits limits;
  subject_.expect(0x12345ffc, limits);
  subject_.expect(0x12346003, limits);
  EXPECT_EQ(subject_.pages(), 2);
  EXPECT_EQ(run("b8fc5f3412488b08c3").pages_mapped, 0);  // mov eax, 0x12345ffc; mov rcx, [rax]; ret
  EXPECT_EQ(subject_.pages(), 2);
}

TEST_F(SubjectTest, AnExpectedPageThatCannotBeMappedIsNotTheBlocks) {
  const auto before = mapped_ranges();
  const Limits limits;
  for (const std::uint64_t address : {kCode, kUserEnd, std::uint64_t{0xffff'8000'0000'0000}}) {
    subject_.expect(address, limits);
  }
  EXPECT_EQ(subject_.pages(), 0);
  // Mapping the first page takes a permission; where the process has it, the page is mapped.
  subject_.expect(0, limits);
  subject_.expect(0x12345000, limits);
  EXPECT_FALSE(run("c3").fault);
  EXPECT_EQ(mapped_ranges().size(), before.size() + static_cast<std::size_t>(subject_.pages()));
  EXPECT_EQ(mapped_ranges().count("12345000-12346000"), 1U);
}

TEST_F(SubjectTest, ExpectsNoMorePagesThanTheLimit) {
  for (std::uint64_t page = 0; page < 5; ++page) {
    subject_.expect(0x12345000 + page * kPageSize, {.pages = 3});
  }
  EXPECT_EQ(subject_.pages(), 3);
}

TEST_F(SubjectTest, APageOfTheBlockBeforeIsFilledAnew) {
  const Limits limits;
  // mov eax, 0x12345000; mov [rax], rax; ret
  run("b800503412488900c3");
  subject_.unmap_all();
  subject_.expect(0x12345000, limits);
  // mov eax, 0x12345000; mov rcx, [rax]; mov eax, 0x12346000; mov [rax + 8], rcx; ret: copies the
  // word that was read to the second page, which lies in the other of two frames.
  const std::string copies_word = "b800503412488b08b80060341248894808c3";
  const auto result = run_on(2, copies_word, 0);
  EXPECT_FALSE(result.fault);
  EXPECT_EQ(result.pages_mapped, 1);
  EXPECT_EQ(word_at(0x12346008), 0x1122334455667788);
}

TEST_F(SubjectTest, FramesOfPagesAreDrawnAtRandom) {
  constexpr std::uint64_t kFirst = 0x12345000;
  constexpr std::uint64_t kEight = 8;
  for (std::uint64_t i = 0; i < kEight; ++i) subject_.expect(kFirst + i * kPageSize, {});
  run("c3");
  std::ifstream maps("/proc/" + std::to_string(subject_.pid()) + "/maps");
  std::vector<std::uint64_t> frames;
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t begin = 0, end = 0, offset = 0;
    std::string rights;
    char dash = 0;
    std::istringstream words(line);
    words >> std::hex >> begin >> dash >> end >> rights >> offset;
    if (begin >= kFirst && begin < kFirst + kEight * kPageSize) {
      for (; begin < end; begin += kPageSize, offset += kPageSize) frames.push_back(offset);
    }
  }
  EXPECT_EQ(frames.size(), kEight);
  EXPECT_EQ(std::set(frames.begin(), frames.end()).size(), kEight) << "each has its own";
  EXPECT_FALSE(std::ranges::is_sorted(frames)) << "which happens once in 40,320 runs";
}

TEST_F(SubjectTest, KeepsOnlyThePagesThatAreNeeded) {
  run("b8fc5f3412488b08c3");
  subject_.expect(0x20000000, {});
  subject_.keep_only([](std::uint64_t page) { return page == 0x12346000; });
  EXPECT_EQ(subject_.pages(), 1);
  EXPECT_EQ(run("b8fc5f3412488b08c3").pages_mapped, 1);
}

TEST_F(SubjectTest, BringsOtherLinesIntoTheCacheAndGoesOn) {
  run("c3");
  const std::array<std::uint64_t, 1> entries = {kCode};
  Series series = {.kernels = entries, .rounds = 3};
  series.eviction_mask.set(0);
  const auto result = subject_.run(series, {});
  EXPECT_FALSE(result.fault);
  EXPECT_EQ(result.readings.size(), 3U);
  EXPECT_GT(subject_.series_ticks(), Ticks());
}

TEST_F(SubjectTest, GoesBackToTheEvictionWhereACountIsTooHigh) {
  const std::array<std::uint64_t, 3> entries = {kCode, kCode, kCode};
  Bytes counts_on = kernel_of_ticks(0);
  // mov dword ptr [rax], ticks becomes inc dword ptr [rax].
  counts_on.resize(counts_on.size() - 7);
  counts_on.insert(counts_on.end(), {0xff, 0x00, 0xc3});
  const auto run_with = [&](std::array<std::uint32_t, 3> most, std::uint32_t times) {
    run(hex_from_bytes(kernel_of_ticks(0)));
    subject_.load_code(0, counts_on);
    Series series = {.kernels = entries, .rounds = 2};
    series.eviction_mask.set(0);
    series.retries = {most, times};
    const SeriesResult result = subject_.run(series, {});
    EXPECT_FALSE(result.fault);
    return std::pair(result.retried,
                     std::vector<std::uint32_t>(result.readings.begin(), result.readings.end()));
  };
  constexpr std::uint32_t kAny = ~0U;
  // Each run counts one more than the one before; the fifth is the first of its kernel above three.
  EXPECT_THAT(run_with({kAny, kAny, kAny}, 2),
              testing::Pair(0, testing::ElementsAre(1, 2, 3, 4, 5, 6)));
  EXPECT_THAT(run_with({kAny, 3, kAny}, 0),
              testing::Pair(0, testing::ElementsAre(1, 2, 3, 4, 5, 6)));
  EXPECT_THAT(run_with({kAny, 3, kAny}, 2),
              testing::Pair(2, testing::ElementsAre(1, 2, 3, 8, 9, 10)));
  EXPECT_THAT(run_with({kAny, kAny, 2}, 1),
              testing::Pair(2, testing::ElementsAre(4, 5, 6, 10, 11, 12)))
      << "once in each round";
}

TEST_F(SubjectTest, ABlockThatWritesToWhatRetriesGoByGoesNowhereElse) {
  const std::array<std::uint64_t, 3> entries = {kCode, kCode, kCode};
  const std::array<std::uint32_t, 3> most = {0, 0, 0};
  struct Written {
    std::size_t offset;
    std::uint32_t value;
  };
  for (const Written& written :
       {Written{offsetof(Report, evicted_run), 1}, Written{offsetof(Report, evicted_run), ~0U},
        Written{offsetof(Report, evicted_run), kMaxReadings},
        Written{offsetof(Report, retried), ~0U}, Written{offsetof(Report, returns), ~0U},
        Written{offsetof(Report, returns), 0}}) {
    run(hex_from_bytes(kernel_of_ticks(0)));
    Bytes code = storing(kReport + written.offset, written.value);
    const Bytes counting = kernel_of_ticks(5);
    code.insert(code.end(), counting.begin(), counting.end());
    subject_.load_code(0, code);
    Series series = {.kernels = entries, .rounds = 2};
    series.eviction_mask.set(0);
    series.retries = {most, 2};
    const SeriesResult result = subject_.run(series, {.time = std::chrono::milliseconds(50)});
    if (result.fault) {
      EXPECT_THAT(result.fault->outcome.reason,
                  testing::AnyOf(Reason::kSubjectDamaged, Reason::kTimeLimit));
    } else {
      EXPECT_THAT(result.readings, testing::ElementsAre(5, 5, 5, 5, 5, 5));
      EXPECT_LE(result.retried, 12);
    }
    expect_works();
  }
}

TEST_F(SubjectTest, RetriesAreForAllKernelsOrForNone) {
  const std::array<std::uint64_t, 2> entries = {kCode, kCode};
  const std::array<std::uint32_t, 1> one = {5};
  Series series = {.kernels = entries};
  series.retries = {one, 1};
  EXPECT_THROW(subject_.run(series, {}), Error);
}

TEST_F(SubjectTest, KeepsToThePageLimit) {
  // mov eax, 0x12345000; mov ecx, 10; 1: mov rdx, [rax]; add eax, 0x1000; dec ecx; jnz 1b; ret
  const std::string ten_pages = "b800503412b90a000000488b100500100000ffc975f4c3";
  EXPECT_EQ(fault_of(ten_pages, {.pages = 10}).outcome.reason, Fault{}.outcome.reason);
  subject_.unmap_all();
  const Fault fault = fault_of(ten_pages, {.pages = 9});
  EXPECT_EQ(fault.outcome.reason, Reason::kPageLimit);
  EXPECT_EQ(fault.address, 0x12345000U + 9 * kPageSize);
  EXPECT_EQ(subject_.pages(), 9);
  expect_works();
}

// mov eax, 0x12344000; then, for the four pages from there on: inc dword ptr [rax + N * 0x1000]
constexpr const char* kCountInFourPages = "b800403412ff00ff8000100000ff8000200000ff8000300000c3";
// mov eax, 0x12344000; mov ecx, [rax]; mov edx, [rax + 0x1000]; mov esi, [rax + 0x2000];
// mov edi, [rax + 0x3000]; ud2
constexpr const char* kLoadFromFourPages = "b8004034128b088b90001000008bb0002000008bb8003000000f0b";
constexpr std::uint64_t kLowHalf = 0x55667788;  // of the word that frames are filled with
constexpr std::array kSomeNumbersOfFrames = {kOwnFrames, 1, 2, 3, 4, kMaxFrames};

std::array<std::uint64_t, 4> loaded(const SeriesResult& result) {
  const auto& registers = result.fault.value_or(Fault{}).registers;
  return {registers.rcx, registers.rdx, registers.rsi, registers.rdi};
}

TEST_F(SubjectTest, PagesTakeTurnsOnFrames) {
  // The code of kLoadFromFourPages behind a store of 5 to the first page.
  const std::string load = std::string(kLoadFromFourPages).substr(10);
  const std::string store_and_load = "b800403412c70005000000" + load;
  for (const int frames : kSomeNumbersOfFrames) {
    const auto values = loaded(run_on(frames, store_and_load));
    for (int page = 0; page < 4; ++page) {
      const bool first = frames == kOwnFrames ? page == 0 : page % frames == 0;
      EXPECT_EQ(values.at(static_cast<std::size_t>(page)), first ? 5 : kLowHalf)
          << frames << " frames, page " << page;
    }
    subject_.unmap_all();
  }
}

TEST_F(SubjectTest, PagesThatAreFarApartHaveFramesOfTheirOwn) {
  // mov eax, 0x12344000; inc dword ptr [rax]; inc dword ptr [rax + 0x100000]; mov ecx, [rax];
  // mov edx, [rax + 0x100000]; ud2
  const std::string far_apart = "b800403412ff00ff80000010008b088b90000010000f0b";
  EXPECT_THAT(loaded(run_on(kMaxFrames, far_apart))[0], kLowHalf + 2) << "256 pages apart";
  subject_.unmap_all();
  EXPECT_THAT(loaded(run_on(kOwnFrames, far_apart))[0], kLowHalf + 1);
}

TEST_F(SubjectTest, APageThatStaysKeepsItsFrame) {
  // mov eax, 0x12344000; mov [rax], eax; mov [rax + 0x1000], eax; ret
  run_on(kOwnFrames, "b8004034128900898000100000c3");
  // The second page stays, and is expected before another one.
  subject_.unmap_all();
  subject_.expect(0x12345000, {});
  subject_.expect(0x20000000, {});
  // mov eax, 0x20000000; mov [rax], eax; mov ecx, [rax - 0xdcbb000]; ud2
  const auto result = run_on(kOwnFrames, "b80000002089008b88005034f20f0b", 0);
  EXPECT_EQ(result.pages_mapped, 0);
  EXPECT_EQ(loaded(result)[0], kLowHalf);
}

TEST_F(SubjectTest, RefillsEveryFrameInUse) {
  for (const int frames : kSomeNumbersOfFrames) {
    ASSERT_EQ(run_on(frames, kCountInFourPages).pages_mapped, 4);
    ASSERT_EQ(run_on(frames, kCountInFourPages).pages_mapped, 0);
    EXPECT_THAT(loaded(run_on(frames, kLoadFromFourPages)), testing::Each(kLowHalf)) << frames;
    subject_.unmap_all();
  }
}

TEST_F(SubjectTest, RefillsNoFrameUnlessAskedTo) {
  run_on(4, kCountInFourPages);
  EXPECT_THAT(loaded(run_on(4, kLoadFromFourPages, 0)), testing::Each(kLowHalf + 1));
}

TEST_F(SubjectTest, NarrowRefillsRestoreWhatTheRunsChange) {
  // push rbx; mov eax, 0x20000100; inc qword ptr [rax]; inc qword ptr [rax + 0x400]; mov rcx,
  // [rax]; mov rbx, the fill and one; cmp rcx, rbx; je over the ud2; ud2; pop rbx; ret
  const std::string code =
      "53b80001002048ff0048ff8000040000488b0848bb89776655443322114839d974020f0b5bc3";
  ASSERT_FALSE(run_on(1, code).fault);
  subject_.narrow_refills({});
  for (int i = 0; i < 3; ++i) {
    const auto result = run_on(1, code);
    EXPECT_FALSE(result.fault);
    EXPECT_FALSE(result.stale);
  }
}

TEST_F(SubjectTest, FindsAWriteOutsideOfNarrowRefillsAndRefillsAllThen) {
  const std::string write_at_0 = "b80000002048ff00c3";  // mov eax, 0x20000000; inc qword ptr [rax]
  const std::string write_at_800 = "b80008002048ff00c3";  // 0x20000800
  ASSERT_FALSE(run_on(1, write_at_0).fault);
  subject_.narrow_refills({});
  EXPECT_FALSE(run_on(1, write_at_0).stale);
  EXPECT_TRUE(run_on(1, write_at_800).stale);
  EXPECT_FALSE(run_on(1, write_at_800).stale);
  // mov eax, 0x20000800; mov rcx, [rax]; ud2
  EXPECT_EQ(run_on(1, "b800080020488b080f0b").fault->registers.rcx, 0x1122334455667788U);
}

TEST_F(SubjectTest, LinesBetweenThoseThatChangeAreNotRefilled) {
  // mov eax, 0x20000000; inc qword ptr [rax]; inc qword ptr [rax + 0x800]; ret
  ASSERT_FALSE(run_on(1, "b80000002048ff0048ff8000080000c3").fault);
  subject_.narrow_refills({});
  EXPECT_FALSE(run_on(1, "b80000002048ff0048ff8000080000c3").stale);
  EXPECT_TRUE(run_on(1, "b80004002048ff00c3").stale);  // 0x20000400
}

TEST_F(SubjectTest, SoManyLinesAreRefilledThatTheyDoNotFitTheList) {
  // mov eax, 0x20000000; mov ecx, 2080; 1: inc qword ptr [rax]; sub rax, -128; dec ecx; jnz 1b;
  // ret: every other line of 65 pages
  const std::string code = "b800000020b92008000048ff004883e880ffc975f5c3";
  ASSERT_FALSE(run(code).fault);
  subject_.narrow_refills({});
  EXPECT_FALSE(run(code).stale);
  EXPECT_FALSE(run(code).stale);
  // mov eax, 0x20040f80; mov rcx, [rax]; ud2: the last line
  EXPECT_EQ(run("b8800f0420488b080f0b").fault->registers.rcx, 0x1122334455667788U);
}

TEST_F(SubjectTest, WhatIsKnownToBeWrittenIsRefilledThoughItHoldsTheFillAgain) {
  // mov eax, 0x20000000; not qword ptr [rax], twice: nothing has changed in the end
  ASSERT_FALSE(run_on(1, "b80000002048f71048f710c3").fault);
  const std::array<MemoryRange, 1> writes = {{{0x20000000, 8}}};
  subject_.narrow_refills(writes);
  // With a single NOT the word has changed: it is refilled before the next run.
  EXPECT_FALSE(run_on(1, "b80000002048f710c3").stale);
  EXPECT_EQ(run_on(1, "b800000020488b080f0b").fault->registers.rcx, 0x1122334455667788U);
}

TEST_F(SubjectTest, NothingIsRefilledOfAFrameThatNothingChanged) {
  ASSERT_FALSE(run_on(1, "b800000020488b08c3").fault);  // mov eax, 0x20000000; mov rcx, [rax]
  subject_.narrow_refills({});
  EXPECT_FALSE(run_on(1, "b800000020488b08c3").stale);
  EXPECT_TRUE(run_on(1, "b80000002048ff00c3").stale);  // inc qword ptr [rax]
}

TEST_F(SubjectTest, AFrameHoldsNothingOfAnEarlierBlock) {
  for (const int frames : kSomeNumbersOfFrames) {
    run_on(frames, kCountInFourPages);
    subject_.unmap_all();
    EXPECT_THAT(loaded(run_on(4, kLoadFromFourPages, 0)), testing::Each(kLowHalf)) << frames;
    subject_.unmap_all();
  }
}

TEST_F(SubjectTest, FramesAreFewAndStayAsMany) {
  EXPECT_THROW(run_on(-1, "c3"), Error);
  EXPECT_THROW(run_on(kMaxFrames + 1, "c3"), Error);
  run_on(1, kCountInFourPages);
  EXPECT_THROW(run_on(2, "c3"), Error);
  subject_.unmap_all();
  EXPECT_FALSE(run_on(2, "c3").fault);
}

TEST_F(SubjectTest, KernelHalfIsAVerdict) {
  // mov rax, 0xffff800000000000; mov rcx, [rax]
  const Fault fault = fault_of("48b8000000000080ffff488b08c3");
  EXPECT_EQ(fault.outcome.reason, Reason::kKernelAddress);
  expect_works();
}

TEST_F(SubjectTest, LowestPageIsMappedOrAVerdict) {
  // xor eax, eax; mov rcx, [rax]; ret
  const auto result = run("31c0488b08c3");
  if (result.fault) {
    EXPECT_EQ(result.fault->outcome.reason, Reason::kNullPage);
  } else {
    EXPECT_EQ(result.pages_mapped, 1);
  }
  expect_works();
}

TEST_F(SubjectTest, GeneralProtectionIsNotAMissingPage) {
  // mov rax, 0x1122334455667788; mov rcx, [rax]
  const Fault fault = fault_of("48b88877665544332211488b08c3");
  EXPECT_EQ(fault.outcome.reason, Reason::kNoncanonicalAddress);
  EXPECT_EQ(fault.address, 0x1122334455667788U);
  EXPECT_EQ(subject_.pages(), 0);
  expect_works();
}

TEST_F(SubjectTest, NoncanonicalStackIsNotAMissingPage) {
  // mov rsp, 0x1122334455667788; push rax: a stack fault, which arrives as SIGBUS
  EXPECT_EQ(fault_of("48bc887766554433221150c3").outcome.reason, Reason::kNoncanonicalAddress);
  expect_works();
}

TEST_F(SubjectTest, MisalignedOperandIsNamed) {
  // mov eax, 0x12345601; movaps xmm0, [rax]
  const Fault fault = fault_of("b8015634120f2800c3");
  EXPECT_EQ(fault.outcome.reason, Reason::kMisalignedAccess);
  EXPECT_EQ(fault.address, 0x12345601U);
  expect_works();
}

TEST_F(SubjectTest, UnexplainedGeneralProtectionStaysThat) {
  EXPECT_EQ(fault_of("f4").outcome.reason, Reason::kGeneralProtection);  // hlt
  expect_works();
}

TEST_F(SubjectTest, AlignmentCheckIsNamed) {
  // pushfq; or dword ptr [rsp], 0x40000; popfq; mov eax, 0x12345601; mov ecx, [rax]
  EXPECT_EQ(fault_of("9c810c24000004009db8015634128b08c3").outcome.reason,
            Reason::kMisalignedAccess);
  expect_works();
}

TEST_F(SubjectTest, UndefinedOpcodeIsAVerdict) {
  const Fault fault = fault_of("900f0b");
  EXPECT_EQ(fault.outcome.reason, Reason::kUnsupportedInstruction);
  EXPECT_EQ(fault.registers.rip, kCode + 1);
  expect_works();
}

TEST_F(SubjectTest, DivisionErrorIsAVerdict) {
  // xor ecx, ecx; div ecx
  const Fault fault = fault_of("31c9f7f1");
  EXPECT_EQ(fault.outcome.reason, Reason::kArithmeticFault);
  EXPECT_EQ(fault.registers.rip, kCode + 2);
  expect_works();
}

TEST_F(SubjectTest, UnmaskedFloatingPointExceptionIsAVerdict) {
  // push 0; ldmxcsr [rsp]; xorps xmm0, xmm0; divss xmm0, xmm0
  EXPECT_EQ(fault_of("6a000fae14240f57c0f30f5ec0").outcome.reason, Reason::kArithmeticFault);
  expect_works();
}

TEST_F(SubjectTest, TrapsAreVerdicts) {
  EXPECT_EQ(fault_of("cc").outcome.reason, Reason::kTrap);  // int3
  // pushfq; or dword ptr [rsp], 0x100; popfq; nop: a single step
  EXPECT_EQ(fault_of("9c810c24000100009d9090c3").outcome.reason, Reason::kTrap);
  expect_works();
}

TEST_F(SubjectTest, SystemCallsAreDenied) {
  // mov eax, N; syscall, for write, exit_group, kill, fork, mmap and munmap from outside the
  // program
  for (const char* number : {"01", "e7", "3e", "39", "09", "0b"}) {
    const Fault fault = fault_of(std::string("b8") + number + "0000000f05c3");
    EXPECT_EQ(fault.outcome.reason, Reason::kDeniedSystemCall) << number;
  }
  // mov eax, 1; int 0x80: exit, in the 32-bit numbering
  EXPECT_EQ(fault_of("b801000000cd80c3").outcome.reason, Reason::kDeniedSystemCall);
  expect_works();
}

TEST_F(SubjectTest, EndlessLoopHitsTheTimeLimit) {
  const Fault fault = fault_of("ebfe", {.time = 5ms});  // jmp to itself
  EXPECT_EQ(fault.outcome.reason, Reason::kTimeLimit);
  EXPECT_EQ(fault.registers.rip, kCode);
  expect_works();
}

TEST_F(SubjectTest, ItsOwnCodeCannotBeWritten) {
  // mov rax, kCode; mov [rax], ecx
  EXPECT_EQ(fault_of("48b800004000c75e00008908c3").outcome.reason, Reason::kSubjectMemory);
  expect_works();
}

/// Stores a doubleword of ones at an address. Ends without ret.
std::string store_at(std::uint64_t address) {
  Bytes code = {0x48, 0xb8};  // mov rax, address; mov dword ptr [rax], -1
  for (int i = 0; i < 8; ++i) code.push_back(static_cast<std::uint8_t>(address >> (8 * i)));
  return hex_from_bytes(code) + "c700ffffffff";
}

TEST_F(SubjectTest, WhatIsAskedForCannotBeWritten) {
  for (std::uint64_t at = 0; at < sizeof(Request); at += 64) {
    const Fault fault = fault_of(store_at(kRequest + at) + "c3");
    EXPECT_EQ(fault.outcome.reason, Reason::kSubjectMemory) << at;
  }
  expect_works();
}

TEST_F(SubjectTest, ANumberOfRunsThatWasWrittenIsNoticed) {
  const std::string store = store_at(kReport + offsetof(Report, runs));
  EXPECT_EQ(fault_of(store + "c3").outcome.reason, Reason::kSubjectDamaged);
  // mov eax, 0x12345600; mov rcx, [rax]: a page that is missed does not hide it
  EXPECT_EQ(fault_of(store + "b800563412488b08c3").outcome.reason, Reason::kSubjectDamaged);
  expect_works();
}

TEST_F(SubjectTest, NothingWrittenToTheReportOutlastsTheSeries) {
  for (std::uint64_t at = 0; at < offsetof(Report, readings); at += 4) {
    run(store_at(kReport + at) + "c3");
    expect_works();
  }
}

TEST_F(SubjectTest, TheStackLeadsTheProgramNowhere) {
  // lea rdi, [rsp - 0x4000]; mov ecx, 0x800; mov eax, 0; rep stosq; jmp [kRequest + next_run]
  const std::string fill = "488dbc2400c0ffffb900080000b800000000f348ab";
  const std::uint64_t pointer = kRequest + offsetof(Request, next_run);
  Bytes jump = {0x48, 0xb8};
  for (int i = 0; i < 8; ++i) jump.push_back(static_cast<std::uint8_t>(pointer >> (8 * i)));
  const auto result = run(fill + hex_from_bytes(jump) + "ff20");
  EXPECT_FALSE(result.fault) << result.fault->outcome.detail;
}

TEST_F(SubjectTest, TheKeyOfItsSystemCallsIsInNoneOfItsMemory) {
  // A page is mapped, so that the key has been in use.
  EXPECT_EQ(run("b800563412488b08c3").pages_mapped, 1);
  const SystemCallKey key = subject_.key();
  ASSERT_NE(key.fourth, 0U);
  ASSERT_NE(key.fifth, 0U);
  std::size_t searched = 0;
  for (const std::string& range : mapped_ranges()) {
    if (range.starts_with("ffffffff")) continue;
    const std::uint64_t end = std::stoull(range.substr(range.find('-') + 1), nullptr, 16);
    for (std::uint64_t at = std::stoull(range, nullptr, 16); at < end; at += kPageSize) {
      for (const std::uint32_t word : page_at(at)) {
        EXPECT_TRUE(word != key.fourth && word != key.fifth) << std::hex << at;
      }
      ++searched;
    }
  }
  EXPECT_GT(searched, 300U);
}

TEST_F(SubjectTest, AGuardedRunEndsWhereItTouchesWhatAssayWritesTo) {
  const std::array<std::uint64_t, 1> entries = {kCode};
  const auto fault_at = [&](std::uint64_t address) {
    // mov eax, 0x12345600; mov ecx, [rax]: a page that is missed; mov rax, address; mov ecx, [rax]
    Bytes code = bytes_from_hex("b8005634128b0848b8");
    for (int i = 0; i < 8; ++i) code.push_back(static_cast<std::uint8_t>(address >> (8 * i)));
    code.insert(code.end(), {0x8b, 0x08});
    subject_.load_code(0, code);
    return subject_.run_guarded(kCode, {entries}, {});
  };
  for (std::uint64_t at = kStack; at < kStack + kWritableSize; at += kPageSize / 2) {
    const Fault fault = fault_at(at);
    EXPECT_EQ(fault.outcome.reason, Reason::kSubjectMemory);
    EXPECT_EQ(fault.address, at);
    EXPECT_EQ(fault.registers.rip, kCode + 17);
    EXPECT_FALSE(Subject::ends_at_counts(fault));
    EXPECT_EQ(subject_.pages(), 1);
  }
  EXPECT_TRUE(Subject::ends_at_counts(fault_at(kReport + offsetof(Report, counts))));
  expect_works();
  EXPECT_EQ(subject_.unexpected_mapping(), std::nullopt);
}

TEST_F(SubjectTest, SystemCallsOfItsProgramNeedTheKey) {
  // Calls subject_change_pages without the key, with a page to map: mov rbx, kStack; mov qword ptr
  // [rbx], 0x7000000; xor ebp, ebp; mov r15d, 1; xor r12d, r12d; xor r13d, r13d; jmp [report]
  const Fault fault = fault_of(
      "48bb00002000c75e000048c7030000000731ed41bf010000004531e44531ed"
      "48b80000"
      "2100c75e0000"
      "ff6018");
  static_assert(kStack == 0x5ec7'0020'0000 && kReport == 0x5ec7'0021'0000);
  static_assert(offsetof(Report, change_pages) == 0x18);
  EXPECT_EQ(fault.outcome.reason, Reason::kSubjectDamaged) << fault.outcome.detail;
  for (const std::string& range : mapped_ranges()) EXPECT_FALSE(range.starts_with("07000000"));
}

TEST_F(SubjectTest, JumpingAwayIsDamage) {
  // xor eax, eax; jmp rax
  EXPECT_EQ(fault_of("31c0ffe0").outcome.reason, Reason::kSubjectDamaged);
}

TEST_F(SubjectTest, DeathIsNoticed) {
  kill(subject_.pid(), SIGKILL);
  const Fault fault = fault_of("c3");
  EXPECT_EQ(fault.outcome.reason, Reason::kSubjectDamaged);
}

TEST_F(SubjectTest, SignalsFromOutsideMeanNothing) {
  for (const int signal : {SIGTERM, SIGINT, SIGSEGV, SIGTRAP, SIGSTOP, SIGUSR1}) {
    kill(subject_.pid(), signal);
    expect_works();
  }
}

TEST_F(SubjectTest, SignalsFromOutsideInTheMiddleMeanNothing) {
  // mov ecx, 40000000; 1: dec ecx; jnz 1b; ret: some 10 ms
  subject_.load_code(0, bytes_from_hex("b9005a6202ffc975fcc3"));
  std::thread sender([pid = subject_.pid()] {
    for (int i = 0; i < 20; ++i) {
      kill(pid, i % 2 ? SIGTERM : SIGSTOP);
      std::this_thread::sleep_for(500us);
    }
  });
  for (int i = 0; i < 3; ++i) {
    const auto result = run_loaded({.time = 2s});
    EXPECT_FALSE(result.fault) << result.fault->outcome.detail;
  }
  sender.join();
}

}  // namespace
}  // namespace assay::subject

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "profiler/subject/subject.h"
#include "tests/profiler/subject/subject_fixture.h"

namespace assay::subject {
namespace {

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

}  // namespace
}  // namespace assay::subject

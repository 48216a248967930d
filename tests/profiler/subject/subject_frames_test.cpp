#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>

#include "profiler/subject/subject.h"
#include "profiler/support/error.h"
#include "tests/profiler/subject/subject_fixture.h"

namespace assay::subject {
namespace {

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

}  // namespace
}  // namespace assay::subject

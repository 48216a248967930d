#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "profiler/block/bytes.h"
#include "profiler/subject/subject.h"
#include "profiler/support/error.h"
#include "tests/profiler/subject/subject_fixture.h"

namespace assay::subject {
namespace {

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

}  // namespace
}  // namespace assay::subject

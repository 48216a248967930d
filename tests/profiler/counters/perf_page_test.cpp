#include "profiler/counters/perf_page.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "profiler/counters/perf_group.h"
#include "profiler/support/descriptor.h"
#include "profiler/support/error.h"
#include "tests/profiler/counters/simulated_perf.h"

namespace assay {
namespace {

perf_event_mmap_page page_that_allows() {
  perf_event_mmap_page page{};
  page.cap_bit0_is_deprecated = 1;
  page.cap_user_rdpmc = 1;
  page.pmc_width = 48;
  return page;
}

TEST(PerfPage, AllowsRdpmcOnlyInClearWords) {
  EXPECT_TRUE(rdpmc_allowed(page_that_allows()));
  perf_event_mmap_page page = page_that_allows();
  page.cap_user_rdpmc = 0;
  EXPECT_FALSE(rdpmc_allowed(page));
  page = page_that_allows();
  page.cap_bit0_is_deprecated = 0;  // as with an old kernel, where the bits mean something else
  EXPECT_FALSE(rdpmc_allowed(page));
}

TEST(PerfPage, AllowsNoCounterThatIsTooNarrow) {
  perf_event_mmap_page page = page_that_allows();
  page.pmc_width = 32;
  EXPECT_TRUE(rdpmc_allowed(page));
  page.pmc_width = 31;
  EXPECT_FALSE(rdpmc_allowed(page));
}

TEST(PerfPage, ThatCannotBeMappedAllowsNothing) {
  EXPECT_FALSE(rdpmc_allowed(linux_perf(), -1));
  const Descriptor other(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_FALSE(rdpmc_allowed(linux_perf(), other.get()));
}

TEST(PerfPage, ThatIsOneTooManyIsAnError) {
  SimulatedPerf system;
  const Event cycles{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 0, false};
  for (const int error : {EPERM, EAGAIN, ENOMEM}) {
    system.page_error = error;
    EXPECT_THAT([&] { PerfGroup::open(system, {{cycles}}, 0); },
                testing::ThrowsMessage<EnvironmentError>(testing::AllOf(
                    testing::HasSubstr("perf_event_mlock_kb"), testing::HasSubstr("ulimit -l"))));
  }
  system.page_error = ENODEV;
  const auto opened = PerfGroup::open(system, {{cycles}}, 0);
  EXPECT_EQ(std::get<std::unique_ptr<PerfGroup>>(opened)->method(), ReadMethod::kAround);
}

TEST(PerfPage, OfTheKernelsOwnEventsIsNotMapped) {
  SimulatedPerf system;
  system.page_error = EPERM;
  const Event faults{"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0, 0, false};
  EXPECT_NO_THROW(PerfGroup::open(system, {{faults}}, 0));
}

/// The tests of everything that reads pages rely on this.
TEST(SimulatedPage, ShowsWhereACounterIsWhileItCounts) {
  SimulatedPerf system;
  system.first_index = 3;
  const std::vector<Event> events = {
      {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 0, false},
      {"other", PERF_TYPE_RAW, 0x1c0, 0, 0, false}};
  const auto group = std::get<std::unique_ptr<PerfGroup>>(PerfGroup::open(system, events, 0));
  const perf_event_mmap_page& page = system.page(group->pages()[1]);
  EXPECT_EQ(page.index, 0U);
  group->start();
  EXPECT_EQ(page.index, 4U);
  const std::uint32_t lock = page.lock;
  system.move_counters(5);
  EXPECT_EQ(page.index, 9U);
  EXPECT_NE(page.lock, lock);
  group->stop();
  EXPECT_EQ(page.index, 0U);
}

}  // namespace
}  // namespace assay

#include "profiler/counters/papi_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "profiler/block/error.h"
#include "profiler/counters/perf_trial.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Ge;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;

EventRequest request(const std::string& name) { return {"my " + name, name, false}; }

TEST(PapiBackend, WorksOrSaysWhyNotAndPrintsNothing) {
  testing::internal::CaptureStderr();
  const Availability availability = PapiBackend().probe(0);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), IsEmpty());
  if (availability.works) return;
  EXPECT_THAT(availability.why, HasSubstr("PAPI"));
  EXPECT_THAT(availability.remedy, Not(IsEmpty()));
}

/// Events of the kernel's own, which PAPI counts without any counter of the CPU.
class PapiGroupTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      open_papi_group(kEvents, 0);
    } catch (const Error& error) {
      GTEST_SKIP() << "PAPI counts no events of the kernel here: " << error.what();
    }
  }

  const std::vector<EventRequest> kEvents = {request("perf::TASK-CLOCK"),
                                             request("perf::PAGE-FAULTS")};
};

TEST_F(PapiGroupTest, CountsThisThreadFromNoughtEachTime) {
  const auto group = open_papi_group(kEvents, 0);
  EXPECT_EQ(group->method(), ReadMethod::kAround);
  EXPECT_THAT(group->names(), ElementsAre("my perf::TASK-CLOCK", "my perf::PAGE-FAULTS"));
  constexpr std::size_t kPages = 40;
  for (int i = 0; i < 2; ++i) {
    void* const pages =
        mmap(nullptr, kPages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(pages, MAP_FAILED);
    madvise(pages, kPages * 4096, MADV_NOHUGEPAGE);
    group->start();
    for (std::size_t page = 0; page < kPages; ++page) {
      static_cast<volatile char*>(pages)[page * 4096] = 1;
    }
    EXPECT_THAT(group->stop(), ElementsAre(Gt(0U), AllOf(Ge(kPages), testing::Lt(2 * kPages))));
    munmap(pages, kPages * 4096);
  }
}

TEST_F(PapiGroupTest, NamesAnEventThatPapiDoesNotKnow) {
  std::vector<EventRequest> events = kEvents;
  events.push_back(request("perf::NO-SUCH-EVENT"));
  EXPECT_THAT([&] { open_papi_group(events, 0); },
              ThrowsMessage<InputError>(
                  AllOf(HasSubstr("my perf::NO-SUCH-EVENT"), HasSubstr("PAPI's error"))));
}

TEST_F(PapiGroupTest, CanBeDroppedWhileItCounts) {
  for (int i = 0; i < 2; ++i) open_papi_group(kEvents, 0)->start();
}

TEST(PapiBackend, CountsEventsBesideCyclesWhereThereAreCounters) {
  PapiBackend backend;
  const Availability availability = backend.probe(0);
  if (!availability.works) GTEST_SKIP() << availability.why;
  const auto groups = backend.open(0, 0, backend.test_events());
  ASSERT_THAT(groups, SizeIs(2));
  EXPECT_THAT(groups[0]->names(), ElementsAre("PAPI_TOT_CYC"));
  EXPECT_THAT(groups[1]->names(), ElementsAre("PAPI_TOT_CYC", "PAPI_TOT_INS", "PAPI_BR_INS"));
  groups[1]->start();
  keep_busy();
  EXPECT_THAT(groups[1]->stop(), testing::Each(Gt(1000U)));
}

TEST(PapiBackend, SaysWhatFailedWhereThereAreNone) {
  PapiBackend backend;
  if (backend.probe(0).works) GTEST_SKIP() << "this machine's counters work";
  EXPECT_THAT([&] { backend.open(0, 0, {}); }, testing::Throws<Error>());
}

}  // namespace
}  // namespace assay

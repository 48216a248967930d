#include "profiler/counters/papi_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "profiler/counters/papi_group.h"
#include "profiler/support/error.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::ThrowsMessage;

constexpr int kProcessor = 0;

std::vector<std::unique_ptr<CounterGroup>> open_here(std::vector<EventRequest> events) {
  return PapiBackend().open(getpid(), kProcessor, events);
}

/// Tests that name events, for which PAPI has to know this CPU.
class PapiBackendEvents : public testing::Test {
 protected:
  void SetUp() override {
    if (!papi_starts()) GTEST_SKIP() << PapiBackend().probe(kProcessor).why;
  }
};

TEST(PapiBackend, WorksHereOrSaysWhyNotInWords) {
  const Availability availability = PapiBackend().probe(kProcessor);
  if (availability.works) {
    EXPECT_EQ(availability.why, "");
    return;
  }
  EXPECT_THAT(availability.why, AllOf(HasSubstr("PAPI"), Not(ContainsRegex("-[0-9]"))));
  EXPECT_THAT(availability.remedy, Not(IsEmpty()));
}

TEST(PapiBackend, DoesNotOpenWhatCannotBeUsed) {
  const Availability availability = PapiBackend().probe(kProcessor);
  if (availability.works) GTEST_SKIP() << "PAPI works here";
  EXPECT_THAT([] { open_here({}); },
              ThrowsMessage<EnvironmentError>(
                  AllOf(HasSubstr(availability.why), HasSubstr(availability.remedy))));
}

TEST_F(PapiBackendEvents, NamesTestEventsThatItHas) {
  const auto events = PapiBackend().test_events();
  ASSERT_EQ(events.size(), 2U);
  for (const EventRequest& event : events) EXPECT_TRUE(papi_has(event.specification)) << event.name;
}

TEST_F(PapiBackendEvents, RefusesEventsThatDoNotExist) {
  EXPECT_THAT(
      [] {
        open_here({{"mine", "PAPI_NONSENSE"}});
      },
      ThrowsMessage<InputError>(AllOf(HasSubstr("PAPI_NONSENSE"), HasSubstr("preset"))));
  EXPECT_THAT(
      [] {
        open_here({{"mine", "perf::PAGE-FAULT"}});
      },
      ThrowsMessage<InputError>(HasSubstr("near it: PAGE-FAULTS")));
  EXPECT_THAT(
      [] {
        open_here({{"mine", "net:::eth0"}});
      },
      ThrowsMessage<InputError>(HasSubstr("net")));
}

TEST_F(PapiBackendEvents, RefusesToCountTheKernel) {
  for (const char* const event : {"perf::PAGE-FAULTS:k=1", "perf_event:::perf::PAGE-FAULTS:k=1"}) {
    EXPECT_THAT(
        [&] {
          open_here({{"mine", event}});
        },
        ThrowsMessage<InputError>(HasSubstr("user mode only")));
  }
}

TEST_F(PapiBackendEvents, RefusesTheCyclesAsAnEventBesideThemselves) {
  const char* const cycles = papi_has("PAPI_TOT_CYC") ? "PAPI_TOT_CYC" : "perf::CYCLES";
  EXPECT_THAT(
      [&] {
        open_here({{"mine", cycles}});
      },
      ThrowsMessage<InputError>(HasSubstr("in any case")));
}

TEST(PapiBackend, CountsCyclesInEveryGroup) {
  if (const auto availability = PapiBackend().probe(kProcessor); !availability.works) {
    GTEST_SKIP() << availability.why;
  }
  const auto events = PapiBackend().test_events();
  const auto groups = open_here({events[0], {"faults", "perf::PAGE-FAULTS", true}, events[1]});
  ASSERT_EQ(groups.size(), 4U);
  const std::string cycles = groups[0]->names()[0];
  EXPECT_THAT(groups[0]->names(), ElementsAre(cycles));
  EXPECT_THAT(groups[1]->names(), ElementsAre(cycles, events[0].name));
  EXPECT_THAT(groups[2]->names(), ElementsAre(cycles, "faults"));
  EXPECT_THAT(groups[3]->names(), ElementsAre(cycles, events[1].name));
}

}  // namespace
}  // namespace assay

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/counters/backend.h"
#include "profiler/support/error.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Backends, AreThereByTheirNames) {
  EXPECT_THAT(backend_names(), testing::ElementsAre("perf", "papi", "tsc", "module"));
  for (const std::string_view name : backend_names()) {
    EXPECT_EQ(backend_named(name)->name(), name);
  }
  EXPECT_THAT([] { backend_named("hpet"); },
              ThrowsMessage<InputError>(HasSubstr("perf, papi, tsc, module")));
}

TEST(Backends, SayWhatIsInTheirWay) {
  for (const std::string_view name : backend_names()) {
    const Availability availability = backend_named(name)->probe(0);
    if (!availability.works) {
      EXPECT_FALSE(availability.why.empty()) << name;
    }
  }
}

TEST(TscBackend, IsAClockWithoutEvents) {
  const auto backend = backend_named("tsc");
  EXPECT_TRUE(backend->probe(0).works);
  EXPECT_FALSE(backend->clock().cycles_per_tick.has_value());
  EXPECT_GE(backend->clock().step, Ticks(1));
  const auto groups = backend->open(0, 0, {});
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0]->method(), ReadMethod::kTsc);
  groups[0]->start();
  EXPECT_TRUE(groups[0]->stop().empty());
  const std::vector<EventRequest> events = {{"loads", "r81d0", false}};
  EXPECT_THAT([&] { backend->open(0, 0, events); },
              ThrowsMessage<InputError>(HasSubstr("\"loads\"")));
}

TEST(ModuleBackend, IsAPlaceOnly) {
  const auto backend = backend_named("module");
  EXPECT_FALSE(backend->probe(0).works);
  EXPECT_FALSE(backend->probe(0).remedy.empty());
  EXPECT_THAT([&] { backend->open(0, 0, {}); },
              ThrowsMessage<EnvironmentError>(HasSubstr("no kernel module yet")));
}

}  // namespace
}  // namespace assay

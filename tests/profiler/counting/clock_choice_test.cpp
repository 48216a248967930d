#include "profiler/counting/clock_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "profiler/support/error.h"
#include "tests/processor_at_hand.h"
#include "tests/profiler/running/simulated_core.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// Tries the counters of a simulated core.
class TryBackend : public testing::Test {
 protected:
  Availability found() { return try_backend(*core_.backend(), processor_at_hand()); }

  SimulatedCore core_{ReadMethod::kAround, {0x90}, 1};
};

TEST_F(TryBackend, CountersThatCountRightWork) {
  const Availability availability = found();
  EXPECT_TRUE(availability.works) << availability.why;
  EXPECT_GT(core_.groups_opened(), 0);
}

TEST_F(TryBackend, CountersThatCountWrongDoNot) {
  core_.events["instructions"] = [](const SimulatedRun& run) { return 2 * run.copies; };
  const Availability availability = found();
  EXPECT_FALSE(availability.works);
  EXPECT_THAT(availability.why, HasSubstr("it failed its self-test: of 1536 instructions"));
  EXPECT_THAT(availability.remedy, HasSubstr("use another clock"));
}

TEST_F(TryBackend, CountersThatCannotBeTestedDoNot) {
  constexpr int kForGood = 1'000'000;  // so many series that the test does not see their end
  core_.lost_series = kForGood;
  const Availability availability = found();
  EXPECT_FALSE(availability.works);
  EXPECT_THAT(availability.why, HasSubstr("its self-test could not be run: "));
}

/// A backend that does not exist here.
class MissingBackend : public CounterBackend {
 public:
  std::string_view name() const override { return "missing"; }
  Availability probe(int) override { return {false, "there is none", "buy one"}; }
  std::vector<EventRequest> test_events() const override { return {{"cycles", "cycles"}}; }
  std::vector<std::unique_ptr<CounterGroup>> open(pid_t, int,
                                                  std::span<const EventRequest>) override {
    ADD_FAILURE() << "it must not be opened";
    return {};
  }
};

TEST(TryMissingBackend, SaysWhyAsItsProbeDoes) {
  MissingBackend missing;
  const Availability availability = try_backend(missing, processor_at_hand());
  EXPECT_FALSE(availability.works);
  EXPECT_EQ(availability.why, "there is none");
  EXPECT_EQ(availability.remedy, "buy one");
}

TEST(ClockChoice, ANameIsTheOnlyClockThatIsTried) {
  const ClockChoice choice = choose_clock("tsc", processor_at_hand());
  EXPECT_EQ(choice.name, "tsc");
  EXPECT_EQ(choice.reading, ReadMethod::kTsc);
  EXPECT_THAT(choice.tried, SizeIs(1));
  EXPECT_THAT(choice.better(), IsEmpty());
}

TEST(ClockChoice, AnUnknownNameIsAnErrorOfTheCaller) {
  EXPECT_THROW(choose_clock("hourglass", processor_at_hand()), InputError);
}

TEST(ClockChoice, TheBestThatWorksIsChosenAndTheBetterOnesAreExplained) {
  const ClockChoice choice = choose_clock("auto", processor_at_hand());
  ASSERT_THAT(choice.tried, Not(IsEmpty()));
  EXPECT_EQ(choice.tried.back().name, choice.name);
  EXPECT_TRUE(choice.tried.back().availability.works);
  EXPECT_THAT(choice.better(), SizeIs(choice.tried.size() - 1));
  for (std::size_t i = 0; i < choice.better().size(); ++i) {
    const ClockChoice::Tried& clock = choice.better()[i];
    EXPECT_EQ(clock.name, backend_names()[i]);
    EXPECT_FALSE(clock.availability.works) << clock.name;
    EXPECT_THAT(clock.availability.why, Not(IsEmpty())) << clock.name;
  }
}

}  // namespace
}  // namespace assay

#include "harness/output/event_output.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <vector>

#include "harness/output/explanation.h"
#include "harness/output/measurement_output.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<EventCount> some_events() {
  return {{.name = "UOPS",
           .per_copy = 2.5,
           .half_width = 0.25,
           .overhead = 7.5,
           .validates = false,
           .pass = 1,
           .pass_cycles = 1.5},
          {.name = "L1D:MISS",
           .per_copy = 0.125,
           .half_width = 0.5,
           .overhead = 1.25,
           .validates = true,
           .pass = 2,
           .pass_cycles = 1.75}};
}

constexpr const char* kEventsJson =
    R"([{"name":"UOPS","per_copy":2.5,"half_width":0.25,"overhead":7.5,"validates":false,)"
    R"("pass":1,"pass_cycles":1.5},)"
    R"({"name":"L1D:MISS","per_copy":0.125,"half_width":0.5,"overhead":1.25,"validates":true,)"
    R"("pass":2,"pass_cycles":1.75}])";

Attempt some_attempt() {
  Attempt attempt;
  attempt.measurement.events = some_events();
  return attempt;
}

const Block& some_block() {
  static const Block block = std::get<Block>(decode({0x90}));
  return block;
}

TEST(EventOutput, TellsEveryCountInEveryFormat) {
  MeasuredBlock block;
  block.measurement.events = some_events();
  EXPECT_EQ(to_json(block, {})["events"].dump(), kEventsJson);
  EXPECT_THAT(to_text(block, {}),
              HasSubstr("  events   UOPS      2.500 +- 0.250 per copy (pass 1)\n"
                        "           L1D:MISS  0.125 +- 0.500 per copy (pass 2, validation)\n"));
  const Attempt attempt = some_attempt();
  EXPECT_EQ(attempts_json({&attempt, 1}, some_block())[0]["events"].dump(), kEventsJson);
  EXPECT_THAT(explain({&attempt, 1}, some_block(), {}),
              HasSubstr("    pass     cycles   per copy         +-   overhead  event\n"
                        "       1     1.5000     2.5000     0.2500       7.50  UOPS\n"
                        "       2     1.7500     0.1250     0.5000       1.25  L1D:MISS "
                        "(validation)\n"));
}

TEST(EventOutput, AreToldOfARejectedBlockToo) {
  MeasuredBlock block;
  block.measurement.outcome.reason = Reason::kDataCacheMiss;
  block.measurement.events = some_events();
  EXPECT_EQ(to_json(block, {})["events"].dump(), kEventsJson);
  EXPECT_THAT(to_text(block, {}), HasSubstr("L1D:MISS  0.125"));
}

TEST(EventOutput, WithoutAnyThereIsNothingToTell) {
  EXPECT_EQ(to_json(MeasuredBlock{}, {})["events"].dump(), "[]");
  EXPECT_THAT(to_text(MeasuredBlock{}, {}), Not(HasSubstr("events")));
  const Attempt attempt;
  EXPECT_EQ(attempts_json({&attempt, 1}, some_block())[0]["events"].dump(), "[]");
  EXPECT_EQ(attempts_json({&attempt, 1}, some_block())[0]["events_left_out"], "");
  EXPECT_THAT(explain({&attempt, 1}, some_block(), {}), Not(HasSubstr("pass")));
  EXPECT_THAT(explain({&attempt, 1}, some_block(), {}), Not(HasSubstr("not counted")));
}

TEST(EventOutput, TellsWhatWasNotCounted) {
  Attempt attempt;
  attempt.events_left_out = "pass 2: no room";
  EXPECT_THAT(explain({&attempt, 1}, some_block(), {}),
              HasSubstr("not counted  pass 2: no room\n"));
  EXPECT_EQ(attempts_json({&attempt, 1}, some_block())[0]["events_left_out"], "pass 2: no room");
}

}  // namespace
}  // namespace assay

#include "profiler/protocol/assay_protocol.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <vector>

#include "profiler/protocol/assay_plan.h"
#include "profiler/sampling/sampler.h"
#include "tests/profiler/block/block_of.h"
#include "tests/profiler/machine/assumed_features.h"
#include "tests/profiler/protocol/planning.h"
#include "tests/profiler/sampling/synthetic_machine.h"

namespace assay {
namespace {

/// Companions that know the clock and the canary.
Companions calibrated(SyntheticMachine& machine) {
  Companions companions = machine.companions(0.05);
  const SeriesPlan calibration = calibration_series(ReadMethod::kTsc);
  for (int i = 0; i < 100; ++i) {
    companions.judge(samples_of(calibration.round, machine.series(calibration.round, 12)), false);
  }
  return companions;
}

class AssayProtocolTest : public testing::Test {
 protected:
  AssayProtocolTest() {
    visit_.outcome = {Reason::kNone, ""};
    visit_.estimate = Estimate{.cycles = 1, .half_width = 0.001};
    visit_.timed = {.runs = 960, .dropped = 0};
  }

  Settings settings_;
  AssayProtocol protocol_{settings_, kInstructionCache};
  Measurement visit_;
};

TEST_F(AssayProtocolTest, AVisitSettlesNoValue) { EXPECT_FALSE(protocol_.settles(visit_)); }

TEST_F(AssayProtocolTest, AVisitDoesNotSettleWhatMayBeItsMoments) {
  for (const ReasonInfo& info : all_reasons()) {
    if (info.reason == Reason::kNone) continue;
    Measurement without = visit_;
    without.outcome.reason = info.reason;
    without.estimate.reset();
    EXPECT_EQ(protocol_.settles(without), !may_pass(info.reason)) << info.name;
  }
}

TEST_F(AssayProtocolTest, LoopsThatEndInTheirOwnBranchAreAlsoRunElsewhere) {
  const auto offsets_of = [this](const Block& block, Notion notion) {
    const Plan plan = std::get<Plan>(protocol_.plan(block, notion));
    std::vector<int> offsets;
    for (Plan elsewhere : protocol_.elsewhere(plan, block)) {
      offsets.push_back(elsewhere.loop.alignment);
      elsewhere.loop.alignment = plan.loop.alignment;
      EXPECT_EQ(elsewhere, plan) << "all else is the same";
    }
    return offsets;
  };
  Block loop = nops(5);
  EXPECT_EQ(offsets_of(loop, Notion::kLooped), std::vector<int>());
  loop.final_branch.emplace();
  EXPECT_EQ(offsets_of(loop, Notion::kLooped), (std::vector{8, 16, 24, 32, 40, 48, 56}));
  EXPECT_EQ(offsets_of(loop, Notion::kUnrolled), std::vector<int>());
  settings_.loop_alignment = 24;
  EXPECT_EQ(offsets_of(loop, Notion::kLooped), (std::vector{0, 8, 16, 32, 40, 48, 56}));
  settings_.loop_min_instructions = 6;
  EXPECT_EQ(offsets_of(loop, Notion::kLooped), std::vector<int>()) << "two copies are another loop";
}

TEST_F(AssayProtocolTest, WhatEndsInNoBranchCannotEndByIt) {
  const auto refused = [this](const Block& block) {
    return std::holds_alternative<Outcome>(protocol_.plan(block, Notion::kLooped));
  };
  Block loop = nops(5);
  for (const LoopEndChoice choice : {LoopEndChoice::kOwn, LoopEndChoice::kReplaced}) {
    settings_.loop_end = choice;
    EXPECT_EQ(std::get<Outcome>(protocol_.plan(nops(5), Notion::kLooped)).reason, Reason::kLoopEnd);
    EXPECT_TRUE(std::holds_alternative<Plan>(protocol_.plan(nops(5), Notion::kUnrolled)));
    loop.final_branch.emplace();
    EXPECT_FALSE(refused(loop));
    settings_.loop_min_instructions = 6;
    EXPECT_TRUE(refused(loop)) << "two copies are another loop";
    settings_.loop_min_instructions = 1;
  }
  settings_.loop_end = LoopEndChoice::kAdded;
  EXPECT_FALSE(refused(nops(5)));
}

TEST_F(AssayProtocolTest, EachVisitHasSizesAndLeadsOfItsOwn) {
  const AssumedFeatures fed(AssumedFeatures::micro_op_cache());
  SyntheticMachine machine({}, 5);
  const Block block = nops(5);
  const Plan plan =
      protocol_.longer(std::get<Plan>(protocol_.plan(block, Notion::kUnrolled))).value();
  Companions companions = calibrated(machine);
  std::set<std::uint32_t> passes;
  std::set<std::size_t> leads;
  std::set<Copies> fewer;
  for (int visit = 1; visit <= 8; ++visit) {
    const RunTimes times = {Cycles(1e3), Cycles(5e3)};
    const std::uint32_t pass = protocol_.sampling({plan, times}, companions, visit)->series().pass;
    passes.insert(pass);
    leads.insert(Plan::lead_at(0, pass));
    fewer.insert(plan.fewer_at(0, pass));
  }
  EXPECT_EQ(passes.size(), 8U);
  EXPECT_EQ(leads.size(), 8U);
  EXPECT_GE(fewer.size(), 2U);
  EXPECT_EQ(*passes.begin(), 0U);
}

TEST_F(AssayProtocolTest, TheTimeUnderTheLastPlanGrowsFromVisitToVisit) {
  settings_.target_relative = settings_.accept_relative = 1e-4;
  settings_.target_cycles = settings_.accept_cycles = 0;
  SyntheticMachine machine({}, 5);
  const Plan first = std::get<Plan>(protocol_.plan(nops(5), Notion::kLooped));
  Plan last = first;
  while (const auto larger = protocol_.raised(last, Reason::kNoSteadyState)) last = *larger;
  Companions companions = calibrated(machine);
  const auto series_of = [&](const Plan& plan, int visit) {
    machine.run_at({sizes_in_copies(plan)});
    const RunTimes times = {Cycles(1e4), Cycles(3e4)};
    const auto sampling = protocol_.sampling({plan, times}, companions, visit);
    std::chrono::steady_clock::time_point now{};
    std::vector<std::uint32_t> readings;
    int series = 0;
    const auto source = [&] {
      ++series;
      now += std::chrono::milliseconds(1);
      const SeriesPlan& next = sampling->series();
      readings = machine.series(next.round, static_cast<int>(next.rounds));
      return SampledSeries{std::nullopt, readings, false};
    };
    const SamplingResult result =
        sample(*sampling, {source, [&] { return now; }, [](auto) {}}, std::chrono::seconds(1));
    EXPECT_EQ(result.end, SamplingEnd::kBudget);
    // A series that an interrupt disturbs takes none of that time.
    const auto disturbed =
        std::ranges::count(sampling->points(), SeriesFate::kDisturbed, &SeriesPoint::fate);
    return series - disturbed / static_cast<std::ptrdiff_t>(kAlignmentsInSeries);
  };
  EXPECT_EQ(series_of(last, 1), 4) << "of a millisecond each";
  EXPECT_EQ(series_of(last, 2), 8);
  EXPECT_EQ(series_of(last, 3), 12);
  EXPECT_EQ(series_of(last, 4), 16);
  EXPECT_EQ(series_of(last, 9), 16);
  EXPECT_EQ(series_of(first, 9), 4) << "a larger plan may show more";
}

TEST_F(AssayProtocolTest, TriesAsManyCopiesFirstAsTheMicroOpCacheFeeds) {
  const AssumedFeatures fed(AssumedFeatures::micro_op_cache());
  const auto longest = [&](const Block& block) {
    const Plan plan = std::get<Plan>(protocol_.plan(block, Notion::kUnrolled));
    return protocol_.longer(plan).value_or(plan).most_copies().count();
  };
  EXPECT_EQ(longest(nops(5)), 540) << "2,700 instructions";
  EXPECT_EQ(longest(block_of("48b80000000000000000")), 1'228) << "12 KiB";
  const Plan loop = std::get<Plan>(protocol_.plan(nops(5), Notion::kLooped));
  EXPECT_FALSE(protocol_.longer(loop));
}

TEST_F(AssayProtocolTest, WideInstructionsTakeTheRoomOfTwoWhereTheyDo) {
  const auto fed = [this](const char* hex) {
    return std::get<Plan>(protocol_.plan(block_of(hex), Notion::kUnrolled)).fed_alike.count();
  };
  const char* const wide = "8078010790";       // cmp byte ptr [rax + 1], 7; nop
  const char* const branching = "4889d174fb";  // mov rcx, rdx; je
  {
    const AssumedFeatures drained(AssumedFeatures::drained());
    EXPECT_EQ(fed(wide), 2'700 / 3);
    EXPECT_EQ(fed(branching), 300);
    EXPECT_EQ(fed("0f1f8000000000909090909090909090909090909090909090909090909090eb00"), 2'700 / 26)
        << "fewer in any case";
  }
  const AssumedFeatures cache(AssumedFeatures::micro_op_cache());
  EXPECT_EQ(fed(wide), 2'700 / 2);
  EXPECT_EQ(fed(branching), 2'700 / 2);
}

TEST_F(AssayProtocolTest, HoldsTheFirstStoresOfWhatIsQuickerThanStoresLeave) {
  const auto planned = [this](const char* hex, Notion notion) {
    return std::get<Plan>(protocol_.plan(block_of(hex), notion));
  };
  const char* const storing = "4889034889c6";  // mov [rbx], rax; mov rsi, rax
  {
    const AssumedFeatures cache(AssumedFeatures::micro_op_cache());
    EXPECT_EQ(planned(storing, Notion::kUnrolled).first_stores, FirstStores::kFree);
  }
  const AssumedFeatures drained(AssumedFeatures::drained());
  EXPECT_EQ(planned("4801d8", Notion::kUnrolled).first_stores, FirstStores::kFree);
  EXPECT_EQ(planned(storing, Notion::kLooped).first_stores, FirstStores::kFree);
  const Plan plan = protocol_.longer(planned(storing, Notion::kUnrolled)).value();
  EXPECT_EQ(plan.first_stores, FirstStores::kMayBeHeld);
  const auto quick = protocol_.raised(plan, Reason::kBelowLimit);
  ASSERT_TRUE(quick);
  EXPECT_EQ(quick->first_stores, FirstStores::kHeld);
  const auto unsteady = protocol_.raised(plan, Reason::kNoSteadyState);
  ASSERT_TRUE(unsteady);
  EXPECT_EQ(unsteady->first_stores, FirstStores::kMayBeHeld)
      << "it may be fed slowly, which would be hidden";
  // It is held however often it was raised before, and raised no more often for that.
  Plan last = plan;
  last.raised = 2;
  last.warm_ups = 16;
  const auto held = protocol_.raised(last, Reason::kBelowLimit);
  ASSERT_TRUE(held);
  EXPECT_EQ(held->first_stores, FirstStores::kHeld);
  EXPECT_EQ(held->most_copies(), last.most_copies())
      << "what was found under the one holds for the other";
  EXPECT_FALSE(protocol_.raised(*held, Reason::kBelowLimit));
}

TEST_F(AssayProtocolTest, TriesTwiceTheCopiesFirstWherePagesAreAlike) {
  const AssumedFeatures near(AssumedFeatures::near_jumps());
  const Plan plan = std::get<Plan>(protocol_.plan(nops(5), Notion::kUnrolled));
  const Plan loop = std::get<Plan>(protocol_.plan(nops(5), Notion::kLooped));
  const Plan large = std::get<Plan>(protocol_.plan(nops(4000), Notion::kUnrolled));
  {
    const AssumedFeatures far(AssumedFeatures::far_jumps());
    const auto longer = protocol_.longer(plan);
    ASSERT_TRUE(longer);
    EXPECT_EQ(longer->fewest_copies().count(), 2 * plan.fewest_copies().count());
    EXPECT_EQ(longer->most_copies().count(), 6 * plan.fewest_copies().count());
    EXPECT_EQ(longer->raised, 0) << "what is slow is shortened still";
    EXPECT_FALSE(protocol_.longer(loop));
    EXPECT_FALSE(protocol_.longer(large)) << "there may be no room";
  }
  EXPECT_FALSE(protocol_.longer(plan));
}

}  // namespace
}  // namespace assay

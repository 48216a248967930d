#include "profiler/protocol/visits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "profiler/support/statistics.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// A visit that found a value, which settles a block by itself or not.
Measurement found(double cycles, double half_width = 0.01, bool settled = false) {
  Measurement visit;
  visit.outcome = {Reason::kNone, ""};
  visit.estimate = Estimate{.cycles = cycles, .half_width = half_width};
  visit.timed = {.runs = 100, .dropped = 2};
  visit.settled = settled;
  return visit;
}

Measurement none(Reason reason) {
  Measurement visit;
  visit.outcome = {reason, "so it was"};
  visit.settled = !may_pass(reason);
  return visit;
}

/// A visit that was not sure of its value.
Measurement unsure(const Evidence& evidence) {
  Measurement visit = none(Reason::kUnstable);
  visit.timed = {.runs = 100, .dropped = 2};
  visit.evidence = evidence;
  return visit;
}
Measurement unsure(double cycles, double half_width) {
  return unsure({.estimate = {cycles, half_width}, .difference = {}});
}

Visits visits(const std::vector<Measurement>& all) {
  Visits visits;
  for (const Measurement& visit : all) {
    EXPECT_FALSE(visits.count() > 0 && visits.settled()) << "before the last one";
    visits.add(visit);
  }
  EXPECT_EQ(visits.result().visits, std::ssize(all));
  EXPECT_EQ(visits.result().outcome.measured(), visits.result().estimate.has_value());
  return visits;
}

TEST(Visits, OneThatSettlesTheBlockIsEnough) {
  EXPECT_EQ(visits({found(2, 0.01, true)}).result(), found(2, 0.01, true));
  const Visits refused = visits({none(Reason::kSystemCall)});
  EXPECT_TRUE(refused.settled());
  EXPECT_EQ(refused.result().outcome, none(Reason::kSystemCall).outcome);
}

Measurement placed(Measurement visit, std::vector<CodePlacement> placements) {
  visit.placements = std::move(placements);
  return visit;
}

Measurement placed_loop(std::vector<CodePlacement> placements) {
  Measurement visit = placed(found(1), std::move(placements));
  visit.notion = Notion::kLooped;
  return visit;
}

TEST(Visits, WhatTheyFoundAtOtherPlacesHasToAgree) {
  const Visits agreeing = visits({placed_loop({{8, 1.0, 0.01}, {16, 1.5, 0.01}, {24, 2, 0.01}}),
                                  placed_loop({{8, 1.0, 0.01}, {16, 2.0, 0.01}})});
  ASSERT_TRUE(agreeing.settled());
  const auto& placements = agreeing.result().placements;
  ASSERT_EQ(placements.size(), 1U) << "16 has two values, and 24 only one";
  EXPECT_EQ(placements[0].offset, 8);
  EXPECT_EQ(placements[0].cycles, 1);
  EXPECT_NEAR(placements[0].half_width, 0.01 / std::sqrt(2), 0.002);
}

TEST(Visits, WhatTheyFoundAtOtherPlacesHasToBeSure) {
  const Visits unsure =
      visits({placed(found(1), {{8, 1.000, 0.001}}), placed(found(1), {{8, 1.009, 0.001}})});
  ASSERT_TRUE(unsure.settled());
  EXPECT_THAT(unsure.result().placements, IsEmpty()) << "alike, but their mean is unsure";
}

TEST(Visits, WithoutAValueThereIsNoneAtOtherPlaces) {
  const Measurement visit = placed(found(1), {{8, 1.0, 0.01}});
  EXPECT_THAT(visits({visit}).result().placements, IsEmpty()) << "not confirmed";
  const Measurement other = placed(found(2), {{8, 1.0, 0.01}});
  EXPECT_THAT(visits({visit, other, visit, other}).result().placements, IsEmpty());
}

Measurement at(std::int64_t copies, Measurement visit) {
  visit.copies = copies;
  return visit;
}

TEST(Visits, TheNextOneBeginsWithTheCopiesThatTwoCameTo) {
  EXPECT_EQ(Visits().copies(), Copies(0));
  const Measurement few = at(100, none(Reason::kNoSteadyState));
  const Measurement many = at(400, none(Reason::kUnstable));
  EXPECT_EQ(visits({many}).copies(), Copies(0)) << "it may have been the moment";
  EXPECT_EQ(visits({few, many}).copies(), Copies(0));
  EXPECT_EQ(visits({few, many, many}).copies(), Copies(400));
  EXPECT_EQ(visits({many, many, few}).copies(), Copies(0));
}

TEST(Visits, WhereFewerCopiesGaveAValueTheNextOneDoesNotBeginWithMore) {
  const Measurement value = at(100, found(0.5)), other = at(400, found(5));
  const Measurement scatter = at(400, none(Reason::kUnstable));
  EXPECT_EQ(visits({value, other}).copies(), Copies(0));
  EXPECT_EQ(visits({value, scatter, scatter}).copies(), Copies(0));
  EXPECT_EQ(visits({other, at(400, found(7))}).copies(), Copies(400));
}

TEST(Visits, AValueThatIsNotConfirmedIsNone) {
  const Visits once = visits({found(1.5)});
  EXPECT_FALSE(once.settled());
  EXPECT_EQ(once.result().outcome.reason, Reason::kUnstable);
  EXPECT_THAT(once.result().outcome.detail, HasSubstr("1.500 +- 0.010 cycles, not confirmed"));
}

TEST(Visits, TwoThatAgreeMakeAValue) {
  const Visits both = visits({found(2, 0.01), found(2.01, 0.01)});
  ASSERT_TRUE(both.settled());
  EXPECT_DOUBLE_EQ(both.result().estimate->cycles, 2.005);
  EXPECT_NEAR(both.result().estimate->half_width, 0.01 / std::sqrt(2.0), 1e-9);
  EXPECT_EQ(both.result().timed, (TimedRuns{.runs = 200, .dropped = 4}));
}

TEST(Visits, AllWeighTheSameHoweverNarrowTheirIntervals) {
  const auto estimate = visits({found(2, 0.03), found(2.01, 0.01)}).result().estimate.value();
  EXPECT_DOUBLE_EQ(estimate.cycles, 2.005);
}

TEST(Visits, OneWrongValueIsOutvoted) {
  for (const auto& order : {std::vector{1.5, 1.0, 1.0, 1.0}, std::vector{1.0, 1.5, 1.0, 1.0}}) {
    std::vector<Measurement> all;
    for (const double cycles : order) all.push_back(found(cycles));
    const Visits four = visits(all);
    ASSERT_TRUE(four.settled());
    EXPECT_DOUBLE_EQ(four.result().estimate->cycles, 1);
  }
}

TEST(Visits, TwoThatHardlyAgreeNeedAnother) {
  EXPECT_FALSE(visits({found(2, 0.002), found(2.015, 0.002)}).settled());
  const Visits three = visits({found(2, 0.002), found(2.015, 0.002), found(2.005, 0.002)});
  ASSERT_TRUE(three.settled());
  EXPECT_NEAR(three.result().estimate->cycles, 6.02 / 3, 1e-9);
  EXPECT_GT(three.result().estimate->half_width, 0.015) << "by Student's t, from three values";
}

TEST(Visits, StatesAreNeverAveraged) {
  const Visits states = visits({found(1), found(2), found(3), found(4), found(2), found(1)});
  ASSERT_TRUE(states.settled());
  EXPECT_EQ(states.result().outcome.reason, Reason::kNoSingleState);
  EXPECT_EQ(states.result().outcome.detail,
            "of 6 visits: 1.000 +- 0.007 cycles in 2, 2.000 +- 0.007 cycles in 2, "
            "3.000 +- 0.010 cycles in 1, 4.000 +- 0.010 cycles in 1");
  EXPECT_FALSE(visits({found(1), found(2), found(1), found(2)}).settled());
}

std::vector<Measurement> found_each(const std::vector<double>& values) {
  std::vector<Measurement> all;
  for (const double cycles : values) all.push_back(found(cycles));
  return all;
}

TEST(Visits, StatesOfWhichNoneIsUsualAreAllTold) {
  std::vector<Measurement> six = found_each({1, 2, 1.5, 2, 1});
  EXPECT_THAT(visits(six).result().modes, IsEmpty()) << "not settled";
  six.insert(six.begin() + 2, none(Reason::kInterference));
  six.push_back(none(Reason::kNoSteadyState));
  const Measurement result = visits(six).result();
  EXPECT_TRUE(result.settled);
  EXPECT_EQ(result.outcome.reason, Reason::kNoSingleState);
  EXPECT_THAT(result.outcome.detail, HasSubstr("of 7 visits: 1.000 +- 0.007 cycles in 2, "));
  ASSERT_EQ(result.modes.size(), 2U) << "1.5 was found once";
  EXPECT_EQ(result.modes[0].cycles, 1);
  EXPECT_NEAR(result.modes[0].half_width, 0.01 / std::sqrt(2.0), 1e-9);
  EXPECT_EQ(result.modes[0].visits, 2);
  EXPECT_DOUBLE_EQ(result.modes[0].share, 0.4) << "of the visits that found a value";
  EXPECT_EQ(result.modes[1].cycles, 2);
  EXPECT_FALSE(result.traits.has(Trait::kSeveralStates)) << "the trait is of values";
}

TEST(Visits, TheUsualOneOfSeveralStatesIsTheValue) {
  const std::vector<Measurement> eight = found_each({1.5, 1, 1, 1.5, 1, 1, 1, 1});
  const Measurement result = visits(eight).result();
  ASSERT_TRUE(result.settled);
  ASSERT_TRUE(result.outcome.measured());
  EXPECT_EQ(result.estimate->cycles, 1);
  EXPECT_EQ(result.traits, Traits{Trait::kSeveralStates});
  ASSERT_EQ(result.modes.size(), 2U);
  EXPECT_EQ(result.modes[0].cycles, 1);
  EXPECT_EQ(result.modes[0].half_width, result.estimate->half_width);
  EXPECT_EQ(result.modes[0].visits, 6);
  EXPECT_EQ(result.modes[0].share, 0.75);
  EXPECT_EQ(result.modes[1].cycles, 1.5);
  EXPECT_EQ(result.modes[1].visits, 2);
  EXPECT_EQ(result.modes[1].share, 0.25);
}

TEST(Visits, TheUsualStateIsLookedForOnlyWhileItMayBeFound) {
  EXPECT_FALSE(visits(found_each({1.5, 1, 1, 1.5, 1, 1})).settled());
  EXPECT_FALSE(visits(found_each({1.5, 1, 1, 1.5, 1, 1, 1})).settled());
  const std::vector<std::vector<double>> none_usual = {
      {1.5, 1, 1, 1.5, 1, 1.5}, {1.5, 1, 1, 1.5, 1, 1, 1.5}, {1.5, 1, 1, 1.5, 1, 1, 1, 1.5}};
  for (const std::vector<double>& values : none_usual) {
    const Measurement result = visits(found_each(values)).result();
    EXPECT_TRUE(result.settled) << values.size();
    EXPECT_EQ(result.outcome.reason, Reason::kNoSingleState) << values.size();
  }
  std::vector<Measurement> seven = found_each({1.5, 1, 1, 1.5, 1, 1});
  seven.push_back(none(Reason::kUnstable));
  EXPECT_EQ(visits(seven).result().outcome.reason, Reason::kNoSingleState);
}

TEST(Visits, SettingsMayRejectABlockOfSeveralStates) {
  Visits rejecting({Trait::kSeveralStates});
  for (const Measurement& visit : found_each({1.5, 1, 1, 1.5, 1, 1, 1, 1})) rejecting.add(visit);
  ASSERT_TRUE(rejecting.settled());
  const Measurement& result = rejecting.result();
  EXPECT_EQ(result.outcome.reason, Reason::kSeveralStates);
  EXPECT_THAT(result.outcome.detail, HasSubstr("of 8 visits: 1.000 +- "));
  EXPECT_FALSE(result.estimate);
  EXPECT_TRUE(result.traits.has(Trait::kSeveralStates));
  EXPECT_EQ(result.modes.size(), 2U);
  EXPECT_EQ(result.visits, 8);
}

TEST(Visits, ASingleOddVisitIsNoState) {
  const Measurement value = visits(found_each({1.5, 1, 1, 1})).result();
  EXPECT_TRUE(value.outcome.measured());
  EXPECT_TRUE(value.traits.empty());
  EXPECT_THAT(value.modes, IsEmpty());
  const Measurement none = visits(found_each({1, 2, 3, 4, 5, 1})).result();
  EXPECT_EQ(none.outcome.reason, Reason::kUnstable);
  EXPECT_THAT(none.modes, IsEmpty());
}

TEST(Visits, ABlockThatKillsWorkersHasThatReasonWhateverItsStates) {
  std::vector<Measurement> all = found_each({1, 2, 2, 1});
  all.insert(all.end(), 2, none(Reason::kHarnessFault));
  const Measurement result = visits(all).result();
  EXPECT_EQ(result.outcome.reason, Reason::kHarnessFault);
  EXPECT_THAT(result.modes, IsEmpty());
}

TEST(Visits, AValueAfterOthersHadNoneNeedsAnother) {
  const Visits once = visits({none(Reason::kUnstable), found(2, 0.01, true)});
  EXPECT_FALSE(once.settled());
  const Visits twice =
      visits({none(Reason::kUnstable), found(2, 0.01, true), found(2, 0.01, true)});
  EXPECT_TRUE(twice.settled());
  EXPECT_TRUE(twice.result().outcome.measured());
  EXPECT_TRUE(visits({none(Reason::kInterference), found(2, 0.01, true)}).settled())
      << "a disturbed core says nothing about the block";
}

TEST(Visits, AValueIsFoundMoreOftenThanNoSteadyState) {
  for (const Reason reason : {Reason::kNoSteadyState, Reason::kBelowLimit}) {
    const Measurement not_steady = none(reason);
    EXPECT_TRUE(visits({found(2), not_steady, found(2)}).settled());
    const std::vector tied = {not_steady, found(2), not_steady, found(2)};
    EXPECT_FALSE(visits(tied).settled());
    std::vector more = tied;
    more.push_back(found(2));
    EXPECT_TRUE(visits(more).result().outcome.measured());
    std::vector fewer = tied;
    fewer.insert(fewer.end(), 2, not_steady);
    EXPECT_EQ(visits(fewer).result().outcome.reason, reason);
  }
  const Measurement scatters = none(Reason::kUnstable);
  EXPECT_TRUE(visits({scatters, scatters, scatters, found(2), found(2)}).settled())
      << "which is no evidence against a value";
}

TEST(Visits, ADependenceThroughMemoryTakesThreeThatAgree) {
  Measurement dependent = found(2);
  dependent.traits.add(Trait::kMemoryDependence);
  EXPECT_FALSE(visits({dependent, dependent}).settled());
  EXPECT_TRUE(visits({dependent, dependent, dependent}).result().outcome.measured());
  Measurement other = found(3);
  other.traits = dependent.traits;
  EXPECT_FALSE(visits({other, other, dependent, dependent}).settled()) << "two of each state";
  const Visits usual = visits({other, dependent, dependent, dependent});
  ASSERT_TRUE(usual.settled());
  EXPECT_EQ(usual.result().estimate->cycles, 2);
}

TEST(Visits, WhatIsAlwaysTheSameIsTheBlocks) {
  for (const Reason reason : {Reason::kNoSteadyState, Reason::kBelowLimit}) {
    EXPECT_FALSE(visits({none(reason), none(reason)}).settled());
    const Visits thrice =
        visits({none(reason), none(Reason::kInterference), none(reason), none(reason)});
    EXPECT_TRUE(thrice.settled());
    EXPECT_EQ(thrice.result().outcome.reason, reason);
    EXPECT_THAT(thrice.result().outcome.detail, HasSubstr("so it was; of 4 visits: "));
  }
}

TEST(Visits, ScatterMayPassForLonger) {
  std::vector<Measurement> all(Visits::kFruitlessVisits - 1, none(Reason::kUnstable));
  EXPECT_FALSE(visits(all).settled());
  all.push_back(none(Reason::kUnstable));
  EXPECT_TRUE(visits(all).settled());
  EXPECT_EQ(visits(all).result().outcome.reason, Reason::kUnstable);
}

TEST(Visits, AValueAmongScatterIsReasonToGoOn) {
  std::vector<Measurement> all(Visits::kMostVisits - 2, none(Reason::kUnstable));
  all.insert(all.begin() + 1, found(2));
  EXPECT_FALSE(visits(all).settled());
  all.push_back(none(Reason::kUnstable));
  EXPECT_TRUE(visits(all).settled());
  EXPECT_EQ(visits(all).result().outcome.reason, Reason::kUnstable);
}

TEST(Visits, OfSeveralReasonsTheMostFrequentOneStands) {
  const Measurement unstable = none(Reason::kUnstable), unsteady = none(Reason::kNoSteadyState);
  const std::vector five = {unstable, unsteady, found(2), unsteady, unstable};
  EXPECT_FALSE(visits(five).settled());
  std::vector six = five;
  six.push_back(unsteady);
  const Visits all = visits(six);
  ASSERT_TRUE(all.settled());
  EXPECT_EQ(all.result().outcome.reason, Reason::kNoSteadyState);
  EXPECT_EQ(all.result().outcome.detail,
            "so it was; of 6 visits: 2.000 +- 0.010 cycles in 1, unstable in 2, "
            "no_steady_state in 3");
}

TEST(Visits, ADisturbedCoreSettlesNothing) {
  Visits visits;
  for (int i = 0; i < 100; ++i) visits.add(none(Reason::kInterference));
  EXPECT_FALSE(visits.settled());
  EXPECT_EQ(visits.count(), 100);
}

TEST(Visits, ABlockThatKillsWorkersIsSettledSoon) {
  EXPECT_FALSE(visits({none(Reason::kHarnessFault)}).settled());
  EXPECT_TRUE(visits({none(Reason::kHarnessFault), none(Reason::kHarnessFault)}).settled());
}

TEST(Visits, PausesGrowWhileTheCoreIsDisturbed) {
  Visits visits;
  for (int i = 0; i < 4; ++i) {
    visits.add(none(Reason::kUnstable));
    EXPECT_EQ(visits.pause(), Visits::kShortestPause) << "another moment is soon there";
  }
  auto before = visits.pause();
  visits.add(none(Reason::kInterference));
  for (int i = 0; i < 10; ++i) {
    visits.add(none(Reason::kInterference));
    EXPECT_GE(visits.pause(), before);
    before = visits.pause();
  }
  EXPECT_EQ(before, 16 * Visits::kShortestPause) << "but no longer";
  visits.add(none(Reason::kUnstable));
  EXPECT_EQ(visits.pause(), Visits::kShortestPause);
}

TEST(Visits, SeveralMayBeSureTogether) {
  EXPECT_FALSE(visits({unsure(5, 0.06), unsure(5.05, 0.06)}).settled()) << "two are too few";
  const Visits three = visits(
      {unsure(5, 0.06), none(Reason::kInterference), unsure(5.05, 0.06), unsure(4.95, 0.06)});
  ASSERT_TRUE(three.settled());
  EXPECT_TRUE(three.result().outcome.measured());
  EXPECT_NEAR(three.result().estimate->cycles, 5, 1e-9);
  EXPECT_NEAR(three.result().estimate->half_width, 0.06 / std::sqrt(3), 1e-9);
  EXPECT_EQ(three.result().timed.runs, 300);
  EXPECT_EQ(three.result().visits, 4);

  EXPECT_FALSE(visits({unsure(5, 0.1), unsure(5.05, 0.1), unsure(4.95, 0.1)}).settled())
      << "0.058 is too wide";
  EXPECT_FALSE(visits({unsure(5, 0.06), unsure(5.3, 0.06), unsure(4.7, 0.06)}).settled())
      << "they differ";
  EXPECT_FALSE(visits({unsure(5, 0.06), unsure(5, 0.06), none(Reason::kNoSteadyState)}).settled())
      << "one shows something else";
  EXPECT_FALSE(visits({unsure(0.003, 0.01), unsure(0.005, 0.01), unsure(0.007, 0.01)}).settled())
      << "nobody knows whether it is more than nothing";
}

TEST(Visits, ThatAreSureTogetherMustBeSteadyTogether) {
  const auto differing = [](double difference, double half_width) {
    return unsure({.estimate = {5, 0.04}, .difference = {difference, half_width}});
  };
  const Measurement unsteady = differing(0.2, 0.01);
  EXPECT_FALSE(visits({unsteady, unsteady, unsteady}).settled()) << "more than 2.8 %";
  const Measurement unknown = differing(0.05, 0.3);
  EXPECT_FALSE(visits({unknown, unknown, unknown}).settled()) << "nor if it is not known";
  // What is sure of the difference belongs into the interval.
  const auto steady = visits({differing(0.05, 0.04), differing(0.06, 0.04), differing(0.04, 0.04)});
  ASSERT_TRUE(steady.settled());
  const double own = 0.04 / std::sqrt(3);
  const double sure = (0.05 - 0.04 / std::sqrt(3)) / 2;
  EXPECT_LE(steady.result().estimate->half_width, own + sure + 1e-9);
  EXPECT_GE(steady.result().estimate->half_width, sure);
}

TEST(Visits, ThatAreSureTogetherMustNotBeBelowTheLimit) {
  const Evidence evidence = {.estimate = {5, 0.08}, .difference = {}, .floor = 5.11};
  const auto at = [&](double cycles) {
    Evidence one = evidence;
    one.estimate.cycles = cycles;
    return unsure(one);
  };
  EXPECT_FALSE(visits({at(4.98), at(5), at(5.02)}).settled()) << "each of them reaches above it";
  EXPECT_TRUE(visits({at(5.05), at(5.1), at(5.15)}).settled());
}

TEST(Visits, AreNotSureTogetherOfWhatMayBeTwoStatesOrDifferentRuns) {
  const Measurement plain = unsure(5, 0.06);
  ASSERT_TRUE(visits({plain, plain, plain}).settled());
  Measurement of_states = plain;
  of_states.evidence->states = 2;
  EXPECT_FALSE(visits({plain, of_states, plain}).settled()) << "however close they are";
  Measurement longer = plain;
  longer.copies = 500;
  EXPECT_FALSE(visits({plain, plain, longer}).settled());
  Measurement elsewhere = plain;
  elsewhere.initial_state = "apart";
  EXPECT_FALSE(visits({plain, elsewhere, plain}).settled());
}

TEST(Visits, OfStraightLineCodeMustAgreeAtEachPlace) {
  const Measurement one = placed(found(5.5), {{0, 5, 0.01}, {32, 6, 0.01}});
  const Measurement other = placed(found(5.5), {{0, 6, 0.01}, {32, 5, 0.01}});
  const Visits agreeing = visits({one, one});
  ASSERT_TRUE(agreeing.settled());
  EXPECT_EQ(agreeing.result().placements.size(), 2U);
  EXPECT_FALSE(visits({one, other}).settled()) << "the same mean by chance";
  Measurement sure = one;
  Measurement other_sure = other;
  sure.evidence = other_sure.evidence = Evidence{.estimate = {5.5, 0.01}, .difference = {}};
  EXPECT_FALSE(visits({sure, other_sure, sure}).settled()) << "nor are they sure of it together";
  // Of a loop, the value is that of one place, whatever it takes at others.
  Measurement loop = one;
  Measurement other_loop = other;
  loop.notion = other_loop.notion = Notion::kLooped;
  EXPECT_TRUE(visits({loop, other_loop}).settled());
}

TEST(Visits, OfStraightLineCodeTellAllPlacesOrNone) {
  const Measurement sure = placed(found(5.5), {{0, 5, 0.01}, {32, 6, 0.01}});
  const Measurement unsure_of_one = placed(found(5.5), {{0, 5, 0.01}, {32, 6, 0.5}});
  const Visits visits_to_it = visits({sure, unsure_of_one});
  ASSERT_TRUE(visits_to_it.settled());
  EXPECT_THAT(visits_to_it.result().placements, IsEmpty());
}

TEST(Visits, GoOnIfTheyMayBeSureTogether) {
  // 0.01 cycles are accepted: what four visits leave is too wide, and what six would is not.
  const std::vector<Measurement> four = {unsure(1, 0.022), unsure(1.01, 0.022), unsure(0.99, 0.022),
                                         unsure(1.005, 0.022)};
  EXPECT_FALSE(visits(four).settled());
  std::vector<Measurement> wide;
  for (const double cycles : {1.0, 1.02, 0.98, 1.01}) wide.push_back(unsure(cycles, 0.05));
  EXPECT_TRUE(visits(wide).settled());
  EXPECT_FALSE(visits(wide).result().outcome.measured());
  std::vector<Measurement> five = four;
  five.push_back(unsure(0.995, 0.022));
  EXPECT_TRUE(visits(five).result().outcome.measured());
}

/// The same of visits none of which is sure: of what they come to together, nearly 95 % hold the
/// truth (93.8 and more: they are looked at several times).
TEST(Visits, IntervalsOfThoseThatAreSureTogetherHoldTheTruth) {
  std::mt19937 random(7);
  constexpr int kBlocks = 4000;
  for (const double half_width : {0.013, 0.016, 0.022}) {
    std::normal_distribution<double> error(0, half_width / 1.96);
    int held = 0;
    int valued = 0;
    for (int i = 0; i < kBlocks; ++i) {
      Visits visits;
      while (visits.count() == 0 || !visits.settled()) {
        visits.add(unsure(1 + error(random), half_width));
      }
      const auto& estimate = visits.result().estimate;
      if (!estimate) continue;
      ++valued;
      held += std::abs(estimate->cycles - 1) <= estimate->half_width;
    }
    EXPECT_GE(valued, 0.9 * kBlocks) << half_width;
    EXPECT_GE(held, 0.93 * valued) << half_width;
  }
}

/// Blocks whose values differ from visit to visit, as honest intervals foresee or by more than
/// that, are given intervals that hold the truth; a block of two states that are as frequent gets a
/// value only by chance.
TEST(Visits, IntervalsHoldTheTruth) {
  std::mt19937 random(7);
  constexpr int kBlocks = 4000;
  // `between`: by how much visits differ, in standard deviations of a visit's own error. A single
  // visit would hold the truth in 95, 83 and 62 % of cases.
  for (const auto& [between, least] : {std::pair(0.0, 0.95), {1.0, 0.85}, {2.0, 0.73}}) {
    int held = 0;
    int valued = 0;
    for (int i = 0; i < kBlocks; ++i) {
      std::normal_distribution<double> error(0, std::hypot(1, between) * 0.002 / 1.96);
      Visits visits;
      while (visits.count() == 0 || !visits.settled()) visits.add(found(1 + error(random), 0.002));
      const auto& estimate = visits.result().estimate;
      if (!estimate) continue;
      ++valued;
      held += std::abs(estimate->cycles - 1) <= estimate->half_width;
    }
    EXPECT_GE(valued, 0.99 * kBlocks) << between;
    EXPECT_GE(held, least * valued) << between;
    EXPECT_LE(held, 0.995 * valued) << between;
  }
}

TEST(Visits, AStateThatIsRareIsRarelyTheValue) {
  std::mt19937 random(7);
  constexpr int kBlocks = 20'000;
  constexpr double kShare = 0.01;  // of visits that find the block in another state
  std::bernoulli_distribution other(kShare);
  int wrong = 0;
  for (int i = 0; i < kBlocks; ++i) {
    Visits visits;
    while (visits.count() == 0 || !visits.settled()) visits.add(found(other(random) ? 1.5 : 1));
    const auto& estimate = visits.result().estimate;
    wrong += estimate && estimate->cycles != 1;
  }
  EXPECT_LE(wrong, 3 * kShare * kShare * kBlocks);
}

}  // namespace
}  // namespace assay

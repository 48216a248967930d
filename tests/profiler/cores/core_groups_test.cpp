#include "profiler/cores/core_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "profiler/machine/processor.h"
#include "profiler/support/error.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::Gt;
using testing::IsEmpty;
using testing::Le;
using testing::SizeIs;

using Groups = std::vector<std::vector<int>>;

constexpr Slowdown kApart = {0.001, 0.002, Sharing::kApart};

constexpr Slowdown kSlowed = {1, 0.01, Sharing::kShared};

std::vector<int> first_processors(int count) {
  std::vector<int> processors(count);
  std::iota(processors.begin(), processors.end(), 0);
  return processors;
}

/// The siblings that a kernel names which knows of none.
std::vector<int> by_itself(int processor) { return {processor}; }

/// A machine on which some processors are threads of one core.
class FakeMachine {
 public:
  FakeMachine(int processors, const std::function<int(int)>& core_of) {
    for (int i = 0; i < processors; ++i) cores_[i] = core_of(i);
  }

  std::vector<Slowdown> run(std::span<const int> canaries, std::span<const int> loads) {
    ++trials;
    latest = {canaries.begin(), canaries.end()};
    latest.insert(loads.begin(), loads.end());
    std::vector<Slowdown> slowdowns;
    for (const int canary : canaries) {
      const auto same = [&](int load) { return cores_.at(load) == cores_.at(canary); };
      const auto neighbours = static_cast<double>(std::ranges::count_if(loads, same));
      EXPECT_EQ(std::ranges::count(loads, canary), 0) << "a canary on a loaded processor";
      const auto sharing = neighbours > 0 ? Sharing::kShared : Sharing::kApart;
      const Slowdown seen = {neighbours + kApart.share, kApart.half_width, sharing};
      slowdowns.push_back(unsure.contains(canary) ? Slowdown{0.04, 0.1, Sharing::kUnsure} : seen);
    }
    return slowdowns;
  }

  CoreGroups find() {
    std::vector<int> processors;
    for (const auto& [processor, core] : cores_) processors.push_back(processor);
    return group_cores(
        processors,
        [this](const auto& canaries, const auto& loads) { return run(canaries, loads); },
        [this](int processor) {
          return named.contains(processor) ? named[processor] : std::vector{processor};
        });
  }

  int trials = 0;
  std::set<int> latest;                   ///< processors that took part in the latest trial
  std::set<int> unsure;                   ///< processors whose canaries tell nothing
  std::map<int, std::vector<int>> named;  ///< the siblings that the kernel names

 private:
  std::map<int, int> cores_;
};

Groups all_alone(int count) {
  Groups groups;
  for (int i = 0; i < count; ++i) groups.push_back({i});
  return groups;
}

TEST(CoreGroups, EachCoreWithOneThread) {
  for (const int count : {1, 2, 3, 5, 16, 63, 64}) {
    FakeMachine machine(count, std::identity());
    const CoreGroups found = machine.find();
    EXPECT_EQ(found.groups, all_alone(count));
    EXPECT_THAT(found.unsure, IsEmpty());
    EXPECT_THAT(found.slowdowns,
                AllOf(SizeIs(count), Each(Field(&Slowdown::sharing, Sharing::kApart))));
  }
}

TEST(CoreGroups, OfTwoProcessorsAreFoundInTwoTrials) {
  FakeMachine machine(2, std::identity());
  machine.find();
  EXPECT_EQ(machine.trials, 2);
}

TEST(CoreGroups, TwoThreadsOfEachCoreHoweverTheyAreNumbered) {
  FakeMachine next_to_each_other(64, [](int i) { return i / 2; });
  FakeMachine half_apart(64, [](int i) { return i % 32; });
  FakeMachine mirrored(64, [](int i) { return std::min(i, 63 - i); });
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(next_to_each_other.find().groups[i], (std::vector{2 * i, 2 * i + 1}));
    EXPECT_EQ(half_apart.find().groups[i], (std::vector{i, i + 32}));
    EXPECT_EQ(mirrored.find().groups[i], (std::vector{i, 63 - i}));
  }
}

TEST(CoreGroups, FewTrialsAreEnoughForManyProcessors) {
  FakeMachine pairs(64, [](int i) { return i % 32; });
  pairs.find();
  // Trials: both halves for each of six bits, each of the pairs, and one of each pair for five
  // bits.
  EXPECT_EQ(pairs.trials, 12 + 32 + 10);
  FakeMachine single(64, std::identity());
  single.find();
  EXPECT_EQ(single.trials, 12);
}

TEST(CoreGroups, CoresOfManyThreadsAndOfSeveralKinds) {
  EXPECT_EQ(FakeMachine(8, [](int i) { return i / 4; }).find().groups,
            (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(FakeMachine(6, [](int i) { return i % 2; }).find().groups,
            (Groups{{0, 2, 4}, {1, 3, 5}}));
  EXPECT_EQ(FakeMachine(4, [](int) { return 0; }).find().groups, (Groups{{0, 1, 2, 3}}));
  // A hybrid CPU: cores with two threads come first, then cores with one.
  EXPECT_EQ(FakeMachine(7, [](int i) { return i < 4 ? i / 2 : i; }).find().groups,
            (Groups{{0, 1}, {2, 3}, {4}, {5}, {6}}));
}

TEST(CoreGroups, AnyNumberOfProcessorsWithOneOrTwoThreadsEach) {
  for (int processors = 1; processors <= 64; ++processors) {
    for (int cores = (processors + 1) / 2; cores <= processors; ++cores) {
      Groups expected(cores);
      for (int i = 0; i < processors; ++i) expected[i % cores].push_back(i);
      FakeMachine machine(processors, [&](int i) { return i % cores; });
      EXPECT_EQ(machine.find().groups, expected) << processors << " on " << cores;
    }
  }
}

TEST(CoreGroups, TheKernelDecidesWhoIsSlowedByNobodyInParticular) {
  // No two of these processors differ in all the bits in which any two of them differ.
  FakeMachine machine(8, [](int i) { return i == 3 || i > 4 ? i : 10; });
  EXPECT_THAT(machine.find().unsure, ElementsAre(0, 1, 2, 4));
  for (const int i : {0, 1, 2, 4}) machine.named[i] = {0, 1, 2, 4};
  EXPECT_EQ(machine.find().groups, (Groups{{0, 1, 2, 4}, {3}, {5}, {6}, {7}}));
}

TEST(CoreGroups, EvidenceIsHowMuchTheySlowEachOtherOrAllOthersAtMost) {
  FakeMachine machine(4, [](int i) { return i < 2 ? 0 : i; });
  const CoreGroups found = machine.find();
  EXPECT_EQ(found.groups, (Groups{{0, 1}, {2}, {3}}));
  EXPECT_NEAR(found.slowdowns[0].share, 1, 0.01);
  EXPECT_EQ(found.slowdowns[0].sharing, Sharing::kShared);
  EXPECT_EQ(found.slowdowns[1].share, kApart.share);
  EXPECT_EQ(found.slowdowns[1].half_width, kApart.half_width);
}

TEST(CoreGroups, EvidenceForOneByItselfIsTheMostThatItWasSlowed) {
  double share = 0;
  const auto more_and_less = [&](std::span<const int> canaries, std::span<const int>) {
    share = share < 0.02 ? share + 0.01 : 0;  // 0.01, 0.02, 0, 0.01
    return std::vector<Slowdown>(canaries.size(), {share, 0.001, Sharing::kApart});
  };
  const CoreGroups found = group_cores(first_processors(4), more_and_less, by_itself);
  std::vector<double> shares;
  for (const Slowdown& slowdown : found.slowdowns) shares.push_back(slowdown.share);
  EXPECT_THAT(shares, ElementsAre(0.01, 0.02, 0.01, 0.02));
}

TEST(CoreGroups, EvidenceForManyThreadsIsTheLeastOfWhatJoinedThem) {
  const auto four_threads = [](std::span<const int> canaries, std::span<const int> loads) {
    // 1 and 2 are joined first, then 0 and 3, then both by 2 and 3.
    const double share = canaries.size() > 1 || loads.size() > 1 ? 1 : 0.3 * (1 + canaries.front());
    return std::vector<Slowdown>(canaries.size(), {share, 0.01, Sharing::kShared});
  };
  const CoreGroups found = group_cores(first_processors(4), four_threads, by_itself);
  EXPECT_EQ(found.groups, (Groups{{0, 1, 2, 3}}));
  EXPECT_DOUBLE_EQ(found.slowdowns.at(0).share, 0.3);
}

TEST(CoreGroups, WhoMeasuresIsTriedAgainstAllOthersLast) {
  FakeMachine machine(64, [](int i) { return i % 32; });
  const std::vector<int> chosen = one_of_each(machine.find());
  EXPECT_THAT(machine.latest, testing::ElementsAreArray(chosen));
}

TEST(CoreGroups, WhoeverTheKernelPutsTogetherIsUnsure) {
  FakeMachine machine(4, std::identity());
  machine.unsure = {3};
  machine.named = {{3, {2, 3, 99}}};  // 99 may not be used here
  const CoreGroups found = machine.find();
  EXPECT_EQ(found.groups, (Groups{{0}, {1}, {2, 3}}));
  EXPECT_THAT(found.unsure, ElementsAre(2, 3));
}

TEST(CoreGroups, TheKernelDecidesWhereMeasuringIsNotSure) {
  FakeMachine machine(6, [](int i) { return i / 2; });
  machine.unsure = {2, 3, 4};
  machine.named = {{2, {2, 3}}, {3, {2, 3}}};
  const CoreGroups found = machine.find();
  EXPECT_EQ(found.groups, (Groups{{0, 1}, {2, 3}, {4}, {5}}));
  EXPECT_EQ(found.slowdowns[1].sharing, Sharing::kUnsure);
  EXPECT_THAT(found.unsure, ElementsAre(2, 3, 4, 5)) << "5 is slowed, and nobody says by whom";
}

TEST(CoreGroups, MeasuringIsBelievedMoreThanTheKernel) {
  FakeMachine machine(4, [](int i) { return i % 2; });
  machine.named = {{0, {0, 1}}, {1, {0, 1}}, {2, {2, 3}}, {3, {2, 3}}};
  EXPECT_EQ(machine.find().groups, (Groups{{0, 2}, {1, 3}}));
}

TEST(CoreGroups, AMachineThatTellsNothingIsGivenUpInTime) {
  FakeMachine machine(64, std::identity());
  for (int i = 0; i < 64; ++i) machine.unsure.insert(i);
  EXPECT_THAT(machine.find().unsure, SizeIs(64));
  EXPECT_THAT(machine.trials, Le(4 * 6 + 2 * 64 + 8));

  // All processors are slowed in each trial, but by none of the others: another load is the cause.
  int trials = 0;
  std::set<int> latest;  ///< processors that took part in the latest trial
  const auto slowed_by_many = [&](std::span<const int> canaries, std::span<const int> loads) {
    ++trials;
    return std::vector<Slowdown>(canaries.size(), loads.size() > 1 ? kSlowed : kApart);
  };
  const CoreGroups found = group_cores(first_processors(64), slowed_by_many, by_itself);
  EXPECT_EQ(found.groups, all_alone(64));
  EXPECT_THAT(found.unsure, SizeIs(64));
  EXPECT_THAT(trials, AllOf(Gt(12), Le(4 * 6 + 2 * 64 + 8)));
}

TEST(CoreGroups, ThereAreNotMoreTrialsThanPromised) {
  // The first two processors that take part slow each other, whichever they are: each round joins
  // one more.
  int trials = 0;
  const auto slowed_by_next = [&](std::span<const int> canaries, std::span<const int> loads) {
    ++trials;
    std::vector<int> all(canaries.begin(), canaries.end());
    all.insert(all.end(), loads.begin(), loads.end());
    std::ranges::sort(all);
    const auto is_first = [&](int i) { return i == all.at(0) || i == all.at(1); };
    const bool apart = std::ranges::count_if(loads, is_first) == 1;
    std::vector<Slowdown> slowdowns;
    for (const int i : canaries) slowdowns.push_back(apart && is_first(i) ? kSlowed : kApart);
    return slowdowns;
  };
  const CoreGroups found = group_cores(first_processors(64), slowed_by_next, by_itself);
  EXPECT_EQ(trials, 4 * 6 + 2 * 64 + 8);
  EXPECT_THAT(found.unsure, SizeIs(Gt(0)));
}

TEST(CoreGroups, OneOfEachIsTheLast) {
  EXPECT_THAT(one_of_each({{{0, 2}, {1}, {3, 4, 5}}, {}, {}}), ElementsAre(1, 2, 5));
}

TEST(CoreGroups, OfThisMachineHoldEachProcessorOnce) {
  const std::vector<int> processors = allowed_processors();
  const CoreGroups found = find_core_groups(processors);
  std::vector<int> all;
  for (const auto& group : found.groups) all.insert(all.end(), group.begin(), group.end());
  EXPECT_THAT(all, testing::UnorderedElementsAreArray(processors));
  EXPECT_EQ(found.slowdowns.size(), found.groups.size());
  EXPECT_EQ(allowed_processors(), processors) << "the caller stays where it was";
}

TEST(CoreGroups, AProcessorThatIsNotThereIsAnError) {
  const std::vector<int> processors = {allowed_processors().front(), CPU_SETSIZE - 1};
  EXPECT_THROW(find_core_groups(processors), EnvironmentError);
}

}  // namespace
}  // namespace assay

#include "profiler/codegen/initial_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "profiler/subject/layout.h"

namespace assay {
namespace {

using enum GeneralRegister;
using testing::Contains;
using testing::Each;
using testing::IsEmpty;

std::uint64_t value(const InitialState& state, GeneralRegister reg) {
  return state.general.at(static_cast<std::size_t>(reg));
}

std::uint64_t page_of(std::uint64_t address) { return address & ~(subject::kPageSize - 1); }

TEST(InitialStateTest, EveryNameHasItsState) {
  for (const std::string_view name : initial_state_names()) {
    const auto state = initial_state_named(name);
    ASSERT_TRUE(state) << name;
    EXPECT_EQ(state->name, name);
    EXPECT_TRUE(state->code.empty()) << name;
    EXPECT_EQ(state->frames, name == "bhive" ? 1 : subject::kOwnFrames) << name;
    EXPECT_NE(value(*state, kRsp), 0U) << name;
    for (const std::uint64_t address : state->general) {
      EXPECT_FALSE(subject::is_own_address(address)) << name;
    }
  }
  EXPECT_FALSE(initial_state_named("nonesuch"));
  EXPECT_FALSE(initial_state_named(""));
}

TEST(InitialStateTest, BhiveHasOneValueEverywhere) {
  const InitialState state = bhive_initial_state();
  EXPECT_THAT(state.general, Each(0x12345600U));
  EXPECT_EQ(state.memory_word, 0x12345600U);
  EXPECT_EQ(state.segment_base, 0x12345600U);
}

TEST(InitialStateTest, DistinctKeepsRegistersApartInOnePage) {
  const InitialState state = distinct_initial_state();
  auto places = std::vector<std::uint64_t>(state.general.begin(), state.general.end());
  places.push_back(page_of(state.general.front()) + state.memory_word % subject::kPageSize);
  places.push_back(state.segment_base);
  std::ranges::sort(places);
  for (std::size_t i = 1; i < places.size(); ++i) {
    EXPECT_GE(places[i] - places[i - 1], 192U) << i;
  }
  for (const std::uint64_t place : places) {
    EXPECT_EQ(page_of(place), page_of(state.segment_base));
    EXPECT_EQ(page_of(place + 127), page_of(state.segment_base));
    EXPECT_EQ(place % 64, 0U);
  }
}

TEST(InitialStateTest, SpacedKeepsRegistersFarApartAtTheSamePlacesInAPage) {
  const InitialState state = initial_state_named("spaced").value();
  const InitialState distinct = distinct_initial_state();
  constexpr std::uint64_t kLowerHalf = 0xffff'ffff;
  auto places = std::vector<std::uint64_t>(state.general.begin(), state.general.end());
  places.push_back(state.memory_word & kLowerHalf);
  places.push_back(state.segment_base);
  std::ranges::sort(places);
  for (std::size_t i = 1; i < places.size(); ++i) {
    EXPECT_GE(places[i] - places[i - 1], 64 * subject::kPageSize) << i;
  }
  for (std::size_t i = 0; i < state.general.size(); ++i) {
    EXPECT_EQ(state.general[i] % subject::kPageSize, distinct.general[i] % subject::kPageSize);
  }
  EXPECT_EQ(state.memory_word >> 32, distinct.memory_word >> 32);
}

TEST(InitialStateTest, DistinctAndSpacedSurviveArithmeticIn32Bits) {
  for (const std::string_view name : {"distinct", "spaced"}) {
    const InitialState state = initial_state_named(name).value();
    for (const std::uint64_t value : state.general) {
      EXPECT_LT(64 * value, std::uint64_t{1} << 31) << name;
      EXPECT_GT(value, 0x10'0000U) << name;
    }
  }
}

void expect_that_anything_divides(const InitialState& state) {
  for (int i = 0; i < kGeneralRegisters; ++i) {
    const auto reg = static_cast<GeneralRegister>(i);
    if (reg == kRdx) continue;
    EXPECT_LT(value(state, kRdx), value(state, reg)) << i;
  }
  EXPECT_LT(value(state, kRdx), state.memory_word);
  EXPECT_LT(value(state, kRdx), state.memory_word & 0xffff'ffff);
  EXPECT_GT(state.memory_word >> 32, 0U);
}

TEST(InitialStateTest, DistinctAndSpacedCanDivideByAnything) {
  expect_that_anything_divides(distinct_initial_state());
  expect_that_anything_divides(initial_state_named("spaced").value());
}

TEST(InitialStateTest, ApartHasTwoPagesBetweenTheStackAndTheRest) {
  const InitialState state = initial_state_named("apart").value();
  const auto page = [](std::uint64_t address) { return address / subject::kPageSize; };
  EXPECT_EQ(value(state, kRsp) % 16, 8U);
  for (int i = 0; i < kGeneralRegisters; ++i) {
    const auto reg = static_cast<GeneralRegister>(i);
    EXPECT_GT(value(state, reg), std::uint64_t{1} << 32);
    if (reg == kRsp) continue;
    EXPECT_EQ(page(value(state, kRsp)), page(value(state, reg)) + 2) << i;
  }
  EXPECT_EQ(page(state.memory_word), page(value(state, kRax)));
}

TEST(InitialStateTest, OverridesReplaceWhatTheyName) {
  StateOverrides overrides;
  overrides.registers = {{kRcx, 1}, {kR15, 2}, {kRcx, 3}};
  overrides.memory_word = 4;
  overrides.code = {0x90};
  overrides.frames = 2;
  for (const std::string_view name : initial_state_names()) {
    const InitialState before = *initial_state_named(name);
    const InitialState after = with_overrides(before, overrides);
    EXPECT_EQ(after.name, name);
    EXPECT_EQ(value(after, kRcx), 3U);
    EXPECT_EQ(value(after, kR15), 2U);
    EXPECT_EQ(value(after, kRsi), value(before, kRsi));
    EXPECT_EQ(after.memory_word, 4U);
    EXPECT_EQ(after.segment_base, before.segment_base);
    EXPECT_EQ(after.code, Bytes{0x90});
    EXPECT_EQ(after.frames, 2);
  }
}

TEST(InitialStateTest, NoOverridesChangeNothing) {
  const InitialState before = distinct_initial_state();
  const InitialState after = with_overrides(before, {});
  EXPECT_EQ(after.general, before.general);
  EXPECT_EQ(after.memory_word, before.memory_word);
  EXPECT_EQ(after.code, before.code);
  EXPECT_EQ(after.frames, before.frames);
}

TEST(InitialStateTest, TheLadderIsOfKnownStatesEachOnce) {
  for (const ReasonInfo& info : all_reasons()) {
    std::set<std::string_view> seen;
    for (const std::string_view state : fallback_states(info.reason)) {
      EXPECT_TRUE(initial_state_named(state)) << state;
      EXPECT_TRUE(seen.insert(state).second) << info.name << ": " << state;
    }
  }
}

TEST(InitialStateTest, TheLadderIsForWhatABlockCameToWhenItRan) {
  const std::set reached_too_far = {Reason::kPageLimit, Reason::kCacheReach, Reason::kTlbReach};
  for (const ReasonInfo& info : all_reasons()) {
    if (info.verdict == Verdict::kFailed || reached_too_far.contains(info.reason)) continue;
    EXPECT_THAT(fallback_states(info.reason), IsEmpty()) << info.name;
  }
  for (const Reason reason :
       {Reason::kNullPage, Reason::kKernelAddress, Reason::kNoncanonicalAddress,
        Reason::kMisalignedAccess, Reason::kArithmeticFault}) {
    EXPECT_FALSE(fallback_states(reason).empty()) << name(reason);
  }
  for (const Reason reason : {Reason::kTrap, Reason::kDeniedSystemCall, Reason::kUnexpectedSignal,
                              Reason::kSubjectDamaged}) {
    EXPECT_THAT(fallback_states(reason), IsEmpty()) << name(reason);
  }
}

}  // namespace
}  // namespace assay

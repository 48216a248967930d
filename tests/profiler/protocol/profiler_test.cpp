#include "profiler/protocol/profiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "profiler/machine/features.h"
#include "profiler/machine/processor.h"
#include "profiler/machine/tlb.h"
#include "profiler/protocol/protocols.h"
#include "profiler/protocol/visits.h"
#include "profiler/running/footprint.h"
#include "profiler/support/error.h"
#include "tests/processor_at_hand.h"
#include "tests/profiler/machine/assumed_features.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ProfilerTest : public testing::Test {
 protected:
  Measurement measure(const std::string& hex, Stage last = Stage::kJudge) {
    return profiler_.measure({bytes_from_hex(hex)}, Notion::kUnrolled,
                             {.last = last, .attempts = &attempts_});
  }
  /// The reason of a block that is measured only up to preparing, since a busy machine may keep its
  /// value from being stable.
  Reason prepared(const std::string& hex) { return measure(hex, Stage::kPrepare).outcome.reason; }

  Profiler profiler_{Settings{}, processor_at_hand()};
  std::vector<Attempt> attempts_;  ///< of the last measure()
};

TEST_F(ProfilerTest, GivesAValueOrSaysThatItIsUnstable) {
  const Measurement measurement = measure("4801d8");  // add rax, rbx
  if (measurement.outcome.reason == Reason::kInterference) {
    return;  // not even six undisturbed series in five seconds
  }
  EXPECT_GT(measurement.copies, 1);
  EXPECT_EQ(measurement.instructions, 1);
  EXPECT_GT(measurement.timed.runs, 0);
  if (measurement.outcome.verdict() == Verdict::kMeasured) {
    EXPECT_EQ(measurement.outcome.reason, Reason::kNone);
    EXPECT_GT(measurement.estimate->cycles, 0);
  } else {
    EXPECT_THAT(measurement.outcome.reason,
                testing::AnyOf(Reason::kUnstable, Reason::kInterference, Reason::kNoSteadyState));
  }
  ASSERT_TRUE(profiler_.ratio());
  EXPECT_GT(profiler_.ratio()->value(), 0);
}

TEST_F(ProfilerTest, HoldsNoStoresOfWhatIsBoundByMore) {
  const AssumedFeatures drained(AssumedFeatures::drained());
  const auto stores_of = [&](const std::string& hex) {
    measure(hex, Stage::kPrepare);
    return attempts_.at(0).prepared.plan.first_stores;
  };
  EXPECT_EQ(stores_of("488903"), FirstStores::kMayBeHeld);  // mov [rbx], rax
  // The same before 32 times add rcx, rdx, of which no core does half in the time of a store.
  std::string hex = "488903";
  for (int i = 0; i < 32; ++i) hex += "4801d1";
  EXPECT_EQ(stores_of(hex), FirstStores::kFree);
}

TEST_F(ProfilerTest, StopsAfterEachStage) {
  const Measurement decoded = measure("488b03", Stage::kDecode);  // mov rax, [rbx]
  EXPECT_EQ(decoded.outcome.verdict(), Verdict::kUnfinished);
  EXPECT_EQ(decoded.outcome.reason, Reason::kStopped);
  EXPECT_EQ(decoded.copies, 0);
  const Measurement planned = measure("488b03", Stage::kPlan);
  EXPECT_GT(planned.copies, 1);
  EXPECT_EQ(planned.pages, 0);
  const Measurement prepared = measure("488b03", Stage::kPrepare);
  EXPECT_EQ(prepared.pages, 1);
  measure("488b03", Stage::kSample);
  EXPECT_FALSE(attempts_.back().series.empty());
  EXPECT_FALSE(attempts_.back().evaluation);
  const Measurement estimated = measure("488b03", Stage::kEstimate);
  if (estimated.outcome.reason == Reason::kInterference)
    return;  // the core was too busy for an estimate
  EXPECT_TRUE(attempts_.back().evaluation);
  EXPECT_FALSE(estimated.estimate);
  EXPECT_EQ(estimated.outcome.verdict(), Verdict::kUnfinished);
}

TEST_F(ProfilerTest, RefusalsComeBeforeAnythingRuns) {
  const Measurement measurement = measure("90900f05");  // nop; nop; syscall
  EXPECT_EQ(measurement.outcome.verdict(), Verdict::kRejected);
  EXPECT_EQ(measurement.outcome.reason, Reason::kSystemCall);
  EXPECT_EQ(measurement.instructions, 2);
  EXPECT_EQ(measurement.copies, 0);
  EXPECT_EQ(measure("").outcome.reason, Reason::kEmptyBlock);
}

TEST_F(ProfilerTest, FaultsNameTheirPlace) {
  // nop; xor ecx, ecx; div ecx
  const Measurement measurement = measure("9031c9f7f1");
  EXPECT_EQ(measurement.outcome.verdict(), Verdict::kFailed);
  EXPECT_EQ(measurement.outcome.reason, Reason::kArithmeticFault);
  EXPECT_THAT(measurement.outcome.detail, HasSubstr("in copy 1 at offset 3 (div ecx)"));
}

TEST_F(ProfilerTest, GoesOnAfterEveryKindOfFault) {
  EXPECT_EQ(prepared("0f0b"), Reason::kUnsupportedInstruction);               // ud2
  EXPECT_EQ(prepared("31c9f7f1"), Reason::kArithmeticFault);                  // div by 0
  EXPECT_EQ(prepared("48b8000000000080ffff488b08"), Reason::kKernelAddress);  // kernel half
  EXPECT_EQ(prepared("48b88877665544332211488b08"), Reason::kNoncanonicalAddress);
  EXPECT_EQ(prepared("0f284301"), Reason::kMisalignedAccess);             // movaps [rbx+1]
  EXPECT_EQ(prepared("4801cb4881c100100000488b03"), Reason::kPageLimit);  // a page further a copy
  EXPECT_EQ(prepared("9c810c24000100009d"), Reason::kTrap);               // sets TF
  EXPECT_EQ(prepared("4801d8"), Reason::kStopped);
  EXPECT_EQ(profiler_.subjects_started(), 1);
}

TEST_F(ProfilerTest, WalksStayInTheFirstLevelCache) {
  const CacheShape cache = data_cache();
  // add rbx, 512; mov rax, [rbx]: an eighth of 64 sets, and each page has a frame of its own
  const Measurement walk = measure("4881c300020000488b03", Stage::kSample);
  EXPECT_EQ(walk.outcome.reason, Reason::kStopped);
  EXPECT_GE(walk.copies, 4);
  EXPECT_LE(3 * walk.copies, cache.sets / 8 * (cache.ways * 2 / 3));
  EXPECT_TRUE(walk.traits.empty());
  EXPECT_EQ(attempts_.back().prepared.plan.within_cache.count(),
            cache.sets / 8 * (cache.ways * 2 / 3));
  // add rbx, 4096; mov rax, [rbx]: a single set
  EXPECT_EQ(prepared("4881c300100000488b03"), Reason::kCacheReach);
}

TEST_F(ProfilerTest, WhatCannotBeForeseenStaysOnAsManyPagesAsTheCacheHolds) {
  const CacheShape cache = data_cache();
  const int held = pages_held({.sets = cache.sets, .ways = cache.ways * 2 / 3});
  // mov rcx, rbx; and rcx, -1024; mov rax, [rcx]; add rbx, 1000: a walk that is not even; and four
  // times imul rdx, rdx, so that a coarse clock can tell so few copies apart
  const std::string uneven =
      "4889d94881e100fcffff488b014881c3e8030000"
      "480fafd2480fafd2480fafd2480fafd2";
  const Measurement walk = measure(uneven, Stage::kPrepare);
  EXPECT_EQ(walk.outcome.reason, Reason::kStopped);
  EXPECT_LE(walk.pages, held);
  EXPECT_GE(attempts_.back().prepared.plan.most_copies().count(), 12);
  // imul rcx, rbx, 0x4f1bbcdd; shr rcx, 16; and ecx, 0x3ff00; mov rax, [rdi + rcx]; inc rbx: each
  // copy is on a page of its own
  EXPECT_EQ(prepared("4869cbddbc1b4f48c1e91081e100ff0300488b040f48ffc3"), Reason::kCacheReach);
}

TEST_F(ProfilerTest, WalksStayInTheTlbForStores) {
  // add rbx, 1600; mov [rbx], rax; 14 nops, so that few copies are enough
  std::string hex = "4881c340060000488903";
  for (int i = 0; i < 14; ++i) hex += "90";
  const Measurement walk = measure(hex, Stage::kPrepare);
  EXPECT_EQ(walk.outcome.reason, Reason::kStopped);
  EXPECT_LE(walk.pages, stored_tlb_entries());
}

TEST_F(ProfilerTest, PointersThatWouldMeetGetRoom) {
  const std::string meet = "55488b07";  // push rbp; mov rax, [rdi]: the stack grows down to RDI
  const Measurement apart = measure(meet, Stage::kPrepare);
  EXPECT_EQ(apart.initial_state, "spaced");
  EXPECT_EQ(apart.outcome.reason, Reason::kStopped);
  ASSERT_EQ(attempts_.size(), 2U);
  EXPECT_TRUE(attempts_[0].prepared.pointers_meet);
  EXPECT_FALSE(attempts_[1].prepared.pointers_meet);
  EXPECT_EQ(measure("5558", Stage::kPrepare).initial_state, "distinct");
  // mov [rbx], rax; mov rcx, rbx; add rbx, 8; mov rdx, [rcx - 8]: the same pointer, in two
  // registers
  EXPECT_EQ(measure("4889034889d94883c308488b51f8", Stage::kPrepare).initial_state, "distinct")
      << "they meet in any state";
  Settings fixed;
  fixed.fallback_states = false;
  Profiler profiler(fixed, processor_at_hand());
  const Measurement where_it_is =
      profiler.measure({bytes_from_hex(meet)}, Notion::kUnrolled, {.last = Stage::kPrepare});
  EXPECT_EQ(where_it_is.initial_state, "distinct");
}

/// How a loop over the block ends, and how many turns its sizes make.
class LoopEnds : public ProfilerTest {
 protected:
  Measurement loop(const std::string& hex, LoopEndChoice choice = LoopEndChoice::kAuto) {
    Settings settings;
    settings.loop_end = choice;
    settings.loop_alignment = 24;
    Profiler profiler(settings, processor_at_hand());
    return profiler.measure({bytes_from_hex(hex)}, Notion::kLooped,
                            {.last = Stage::kPrepare, .attempts = &attempts_});
  }
  std::string end(const std::string& hex, LoopEndChoice choice = LoopEndChoice::kAuto) {
    return loop(hex, choice).loop_end;
  }
  const LoopShape& shape() const { return attempts_.back().prepared.plan.loop; }
};

TEST_F(LoopEnds, OwnBranchesThatCountAreBounded) {
  // mov rax, [rdi + 8*rdx]; add rdx, 1; cmp edx, esi; jb
  EXPECT_EQ(end("488b04d74883c20139f272f4"), "own");
  EXPECT_EQ(shape().bound->reg, GeneralRegister::kRsi);
  EXPECT_EQ(shape().alignment, 24);
  EXPECT_EQ(end("4801d8ffc975f9"), "own") << "add; dec ecx; jne";
  EXPECT_EQ(shape().bound->value(Iterations(1024)) & 0xffff'ffff, 1024U);
  EXPECT_EQ(end("4883c0084839d075f7"), "own") << "add rax, 8; cmp rax, rdx; jne";
  EXPECT_EQ(end("90e2fd"), "own") << "nop; loop";
  EXPECT_EQ(end("4883e90879fa"), "own") << "sub rcx, 8; jns";
}

TEST_F(LoopEnds, OthersAreReplacedWhereNothingElseHangsOnThem) {
  EXPECT_EQ(end("488b004885c075f8"), "replaced") << "mov rax, [rax]; test rax, rax; jne";
  EXPECT_EQ(end("4801d8ebfb"), "replaced") << "add; jmp";
  EXPECT_EQ(end("488b00803800"
                "75f8"),
            "added")
      << "mov rax, [rax]; cmp byte ptr [rax], 0; jne";
  EXPECT_EQ(end("48d1e875fb"), "added") << "shr rax, 1; jne";
  EXPECT_EQ(end("4801d8"), "added") << "no branch";
  EXPECT_EQ(measure("4801d8ffc975f9", Stage::kPrepare).loop_end, "") << "no loop";
}

TEST_F(LoopEnds, WhatTheyLoadMayEndThem) {
  // movzx ecx, byte ptr [rax]; add rax, 1; test cl, cl; jne
  Measurement walk = loop("0fb6084883c00184c975f5");
  EXPECT_EQ(walk.loop_end, "own");
  ASSERT_TRUE(shape().sentinel);
  EXPECT_EQ(shape().sentinel->value, 0U);
  EXPECT_THAT(walk.initial_state, HasSubstr("distinct mem=0x")) << "its own words hold zeros";
  EXPECT_EQ(end("4883c001803820"
                "74f7"),
            "own")
      << "add rax, 1; cmp byte ptr [rax], 32; je";
  EXPECT_EQ(loop("0fb6084883c00184c975f5", LoopEndChoice::kReplaced).initial_state, "distinct");
  // movzx ecx, byte ptr [rax]; add rax, 1; mov byte ptr [rax], 65; test cl, cl; jne: it overwrites
  // what would end it.
  walk = loop("0fb6084883c001c6004184c975f2");
  EXPECT_EQ(walk.loop_end, "replaced");
  EXPECT_EQ(walk.initial_state.find("mem="), std::string::npos);
}

TEST_F(LoopEnds, AreAsTheyAreAskedFor) {
  const std::string counts = "4883c0084839d075f7";  // add rax, 8; cmp rax, rdx; jne
  EXPECT_EQ(end(counts, LoopEndChoice::kOwn), "own");
  EXPECT_EQ(end(counts, LoopEndChoice::kReplaced), "replaced");
  EXPECT_EQ(end(counts, LoopEndChoice::kAdded), "added");
  EXPECT_EQ(loop("488b004885c075f8", LoopEndChoice::kOwn).outcome.reason, Reason::kLoopEnd);
  EXPECT_EQ(loop("48d1e875fb", LoopEndChoice::kReplaced).outcome.reason, Reason::kLoopEnd);
}

TEST_F(LoopEnds, WhatGoesOnAndOnBehindTheTriedTurnsEndsOtherwise) {
  // inc cl; cmp byte ptr [rdi + rcx], 0; jne: within 256 bytes, forever
  EXPECT_EQ(end("fec1803c0f00"
                "75f8"),
            "added");
  // movzx eax, byte ptr [rsi]; mov [rsi + 64], al; inc rsi; test al, al; jne: overwrites its end
  Measurement walk = loop(
      "0fb606"
      "884640"
      "48ffc6"
      "84c0"
      "75f3");
  EXPECT_EQ(walk.loop_end, "replaced");
  EXPECT_EQ(walk.outcome.reason, Reason::kStopped) << walk.outcome.detail;
}

TEST_F(LoopEnds, AValueThatAUserAskedForStays) {
  // dec rcx; jne
  const BlockSpec counts = {bytes_from_hex("48ffc975fb"), "rcx=0x5"};
  profiler_.measure(counts, Notion::kLooped, {.last = Stage::kPrepare, .attempts = &attempts_});
  EXPECT_EQ(attempts_.back().measurement.loop_end, "added");
  EXPECT_EQ(end("48ffc975fb"), "own");
}

TEST_F(LoopEnds, ALoopHasValuesAtOtherPlaces) {
  // add rax, rbx; dec ecx; jne
  const BlockSpec loop = {bytes_from_hex("4801d8ffc975f9")};
  Measurement visit;
  for (int i = 0; i < 10 && !visit.outcome.measured(); ++i) {
    visit = profiler_.measure(loop, Notion::kLooped, {.attempts = &attempts_});
    EXPECT_EQ(attempts_.back().prepared.plan.loop.alignment, 0) << "the outcome is of this place";
    EXPECT_TRUE(visit.outcome.measured() || visit.placements.empty());
  }
  if (!visit.outcome.measured()) GTEST_SKIP() << "the machine is too busy for any value";
  std::int64_t last = 0;
  for (const auto& [offset, cycles, half_width] : visit.placements) {
    EXPECT_GT(offset, last);
    EXPECT_EQ(offset % 8, 0);
    EXPECT_GT(cycles, half_width);
    last = offset;
  }
  EXPECT_LT(last, 64);
  EXPECT_THAT(measure("4801d8").placements, testing::IsEmpty()) << "no loop";
}

TEST_F(LoopEnds, ALoopThatLeavesEarlyIsNotBounded) {
  // add rdx, 1; mov [rdi + 8*rdx], rdx; cmp rdx, [rsi]; jne: what it stores may change the bound
  const Measurement walk = loop("4883c201488914d7483b1675f3");
  EXPECT_TRUE(walk.loop_end == "own" || walk.loop_end == "added") << walk.loop_end;
  // The counter turns over: inc cl; cmp cl, dl; jne. 8 bits do not make a thousand turns.
  EXPECT_EQ(end("fec138d175fa"), "replaced");
}

TEST_F(ProfilerTest, WhatOnlyLaterCopiesLoadIsADependenceToo) {
  // mov [rbx + 320], rax; mov rcx, [rbx]; add rbx, 8: a copy loads what the 40th before it stored
  const Measurement walk = measure("48898340010000488b0b4883c308", Stage::kPrepare);
  EXPECT_EQ(walk.outcome.reason, Reason::kStopped);
  EXPECT_EQ(walk.traits, Traits{Trait::kMemoryDependence});
  // mov [rbx - 320], rax; mov rcx, [rbx]; add rbx, 8
  EXPECT_TRUE(measure("488983c0feffff488b0b4883c308", Stage::kPrepare).traits.empty());
}

TEST_F(ProfilerTest, FindsThatACopyFarBehindTouchesWhatAssayWritesTo) {
  // add r8, 1; mov edx, 0x5ec7002; shl rdx, 20; cmp r8, 100; cmovb rdx, rbx; mov [rdx + 0x10200],
  // eax: to the report, from the 100th copy on
  const auto late = [&](const std::string& store, Notion notion) {
    const BlockSpec spec = {bytes_from_hex("4983c001ba0270ec0548c1e2144983f864480f42d3" + store),
                            "r8=0"};
    return profiler_.measure(spec, notion, {.last = Stage::kSample});
  };
  for (const Notion notion : {Notion::kUnrolled, Notion::kLooped}) {
    const Measurement measurement = late("898200020100", notion);
    EXPECT_EQ(measurement.outcome.reason, Reason::kSubjectMemory) << measurement.outcome.detail;
  }
  // mov eax, [rdx - 0x100000 + 0x1c]: reads what is asked for, which tells one run from another
  static_assert(subject::kRequest + 0x10'0000 == subject::kStack);
  const Measurement reads = late("8b821c00f0ff", Notion::kUnrolled);
  EXPECT_EQ(reads.outcome.reason, Reason::kSubjectMemory) << reads.outcome.detail;
  EXPECT_EQ(profiler_.subjects_started(), 1);
  EXPECT_EQ(prepared("4801d8"), Reason::kStopped);
}

TEST_F(ProfilerTest, LooksAtEachVisitForWhatAStoringBlockTouchesFarBehind) {
  // As above, from the 20th copy on, under a state of its own that only this visit has.
  const BlockSpec spec = {bytes_from_hex("4983c001ba0270ec0548c1e2144983f814480f42d3898200020100"),
                          "r8=0"};
  const Measurement measurement =
      profiler_.measure(spec, Notion::kUnrolled, {.number = 2, .last = Stage::kSample});
  EXPECT_EQ(measurement.outcome.reason, Reason::kSubjectMemory) << measurement.outcome.detail;
}

TEST_F(ProfilerTest, ReplacesADamagedSubject) {
  // mov ebx, 0x5ec7002; shl rbx, 20; lock sub dword ptr [rbx + 0x10050], 1: counts the runs in the
  // report, whose address no operand shows, backwards
  static_assert(subject::kReport == 0x5ec7'0021'0000 && offsetof(subject::Report, runs) == 0x50);
  const Measurement measurement = measure("bb0270ec0548c1e314f083ab5000010001");
  EXPECT_EQ(measurement.outcome.verdict(), Verdict::kFailed);
  EXPECT_EQ(measurement.outcome.reason, Reason::kSubjectDamaged);
  EXPECT_EQ(profiler_.subjects_started(),
            3);  // the first, one for the second try, and one for the next block
  EXPECT_EQ(prepared("4801d8"), Reason::kStopped);
}

TEST_F(ProfilerTest, PagesOfABlockDoNotHinderCalibratingAgainAfterAPause) {
  // The first pause gives the second visit a new subject, which is too young to be replaced after
  // the second pause.
  for (const auto pause : {Visits::kShortestPause, Visits::kShortestPause * 6 / 10}) {
    std::this_thread::sleep_for(pause);
    const Measurement measurement = profiler_.measure(
        {bytes_from_hex("488b03"), ""}, Notion::kUnrolled, {.number = 2, .last = Stage::kPrepare});
    EXPECT_EQ(measurement.outcome.reason, Reason::kStopped);
  }
}

TEST_F(ProfilerTest, AVisitBeginsWithThePlanThatTheOneBeforeWasRaisedTo) {
  const auto plan_after = [&](Copies copies) {
    std::vector<Attempt> attempts;
    profiler_.measure(
        {bytes_from_hex("4801d8"), ""}, Notion::kLooped,
        {.number = 2, .copies = copies, .last = Stage::kPrepare, .attempts = &attempts});
    return attempts.front().prepared.plan;
  };
  const Plan first = plan_after({});
  EXPECT_EQ(first.raised, 0);
  const Copies n = first.fewest_copies();
  EXPECT_EQ(plan_after(n * 4).fewest_copies(), n * 4);
  EXPECT_EQ(plan_after(n * 4).raised, 2);
  EXPECT_EQ(plan_after(n * 3), first) << "nothing leads there";
  EXPECT_EQ(plan_after(n), first);
  EXPECT_EQ(plan_after(n * 1024), first) << "as often it is never raised";
}

TEST_F(ProfilerTest, PagesOfOneBlockAreGoneForTheNext) {
  EXPECT_EQ(measure("488b03488b8b00300000", Stage::kPrepare).pages, 2);
  EXPECT_EQ(measure("488b03", Stage::kPrepare).pages, 1);
  EXPECT_EQ(measure("4801d8", Stage::kPrepare).pages, 0);
}

TEST_F(ProfilerTest, TheLastPageOfAStackWalkIsMappedForBothSizes) {
  // push rax: 2n copies walk through two or three pages
  const Measurement measurement = measure("50", Stage::kSample);
  EXPECT_EQ(measurement.outcome.reason, Reason::kStopped);
  EXPECT_GE(measurement.pages, 2);
}

TEST_F(ProfilerTest, ReadingItsOwnMemoryIsTheBlocksFailure) {
  // mov ebx, 0x5ec7002; shl rbx, 20; mov rax, qword ptr [rbx]: the page is mapped, so nothing
  // faults
  const Measurement measurement = measure("bb0270ec0548c1e314488b03", Stage::kPrepare);
  EXPECT_EQ(measurement.outcome.verdict(), Verdict::kFailed);
  EXPECT_EQ(measurement.outcome.reason, Reason::kSubjectMemory);
  EXPECT_THAT(measurement.outcome.detail, HasSubstr("mov rax, qword ptr [rbx]"));
  EXPECT_EQ(profiler_.subjects_started(), 1);
}

TEST_F(ProfilerTest, LoopsRunToo) {
  const auto looped = [&](const std::string& hex) {
    return profiler_.measure({bytes_from_hex(hex)}, Notion::kLooped, {.last = Stage::kPrepare});
  };
  const Measurement counted = looped("488b03");  // mov rax, [rbx]
  EXPECT_EQ(counted.outcome.reason, Reason::kStopped);
  EXPECT_EQ(counted.notion, Notion::kLooped);
  EXPECT_EQ(counted.pages, 1);
  EXPECT_EQ(looped("4801d875fb").outcome.reason, Reason::kStopped);  // add rax, rbx; jne
  EXPECT_EQ(looped("4801d8ebfb").outcome.reason, Reason::kStopped);  // add rax, rbx; jmp
  EXPECT_EQ(looped("31c9f7f1").outcome.reason, Reason::kArithmeticFault);
}

TEST_F(ProfilerTest, ALoopNeedsARegisterAndCopiesInARowDoNot) {
  // inc of all general registers but RSP
  const std::string hex =
      "48ffc048ffc148ffc248ffc348ffc548ffc648ffc7"
      "49ffc049ffc149ffc249ffc349ffc449ffc549ffc649ffc7";
  EXPECT_EQ(prepared(hex), Reason::kStopped);
  const Measurement looped =
      profiler_.measure({bytes_from_hex(hex)}, Notion::kLooped, {.last = Stage::kPrepare});
  EXPECT_EQ(looped.outcome.verdict(), Verdict::kRejected);
  EXPECT_EQ(looped.outcome.reason, Reason::kNoFreeRegister);
}

// neg ecx; movsxd rcx, ecx; mov rdx, qword ptr [rbx + 2*rcx]: its address is below 0 if RBX is
// small.
constexpr const char* kFailsLow = "f7d94863c9488b144b";

/// The states under which a block was tried, in order. (Under each, there may be tries of several
/// plans.)
std::vector<std::string> states_of(const std::vector<Attempt>& attempts) {
  std::vector<std::string> states;
  for (const Attempt& attempt : attempts) {
    const std::string& state = attempt.measurement.initial_state;
    if (states.empty() || states.back() != state) states.push_back(state);
  }
  return states;
}

TEST_F(ProfilerTest, WhatFailsIsTriedUnderOtherStates) {
  const Measurement measurement = measure(kFailsLow, Stage::kPrepare);
  EXPECT_EQ(measurement.outcome.reason, Reason::kStopped);
  EXPECT_EQ(measurement.initial_state, "apart");
  EXPECT_THAT(states_of(attempts_), ElementsAre("distinct", "apart"));
  EXPECT_EQ(attempts_.front().measurement.outcome.reason, Reason::kKernelAddress);
  EXPECT_FALSE(attempts_.back().prepared.trace.accesses.empty());
}

TEST_F(ProfilerTest, TheFirstFailureStandsWhereNoStateHelps) {
  const Measurement measurement = measure("48b8000000000080ffff488b08", Stage::kPrepare);
  EXPECT_EQ(measurement.outcome.reason, Reason::kKernelAddress);
  EXPECT_EQ(measurement.initial_state, "distinct");
  EXPECT_EQ(states_of(attempts_).size(), 1 + fallback_states(Reason::kKernelAddress).size());
}

TEST_F(ProfilerTest, AttemptsAreThoseOfTheLatestBlock) {
  measure(kFailsLow, Stage::kPrepare);
  measure("4801d8", Stage::kPrepare);
  ASSERT_EQ(attempts_.size(), 1);
  EXPECT_EQ(attempts_[0].prepared.plan.fewest_copies().count(), attempts_[0].measurement.copies);
  measure("90900f05");
  EXPECT_TRUE(attempts_.empty());
}

/// The measurement under this state, stopped after pages were mapped, up to where the result does
/// not depend on how busy the machine is.
Measurement prepared_under(const std::string& state, Profiler& profiler, const char* hex,
                           std::vector<Attempt>* attempts = nullptr) {
  return profiler.measure({bytes_from_hex(hex), state}, Notion::kUnrolled,
                          {.last = Stage::kPrepare, .attempts = attempts});
}

TEST(ProfilerSettings, OtherStatesAreNotTriedIfNotAskedFor) {
  Settings settings;
  settings.fallback_states = false;
  Profiler profiler(settings, processor_at_hand());
  std::vector<Attempt> attempts;
  const Measurement measurement = prepared_under("", profiler, kFailsLow, &attempts);
  EXPECT_EQ(measurement.outcome.reason, Reason::kKernelAddress);
  EXPECT_EQ(measurement.initial_state, "distinct");
  EXPECT_THAT(states_of(attempts), ElementsAre("distinct"));
}

TEST_F(ProfilerTest, AStateOfItsOwnIsTheOnlyOneForABlock) {
  const Measurement failed = prepared_under("distinct", profiler_, kFailsLow, &attempts_);
  EXPECT_EQ(failed.outcome.reason, Reason::kKernelAddress);
  EXPECT_EQ(failed.initial_state, "distinct");
  EXPECT_THAT(states_of(attempts_), ElementsAre("distinct"));
  const Measurement done = prepared_under("apart", profiler_, kFailsLow, &attempts_);
  EXPECT_EQ(done.outcome.reason, Reason::kStopped);
  EXPECT_EQ(done.initial_state, "apart");
  EXPECT_THAT(states_of(attempts_), ElementsAre("apart"));
  EXPECT_EQ(measure("4801d8", Stage::kPrepare).initial_state, "distinct") << "of the next block";
}

TEST_F(ProfilerTest, AStateOfItsOwnHasItsValuesInPlaceOfTheProfiles) {
  constexpr const char* kLoads = "488b03488b08";  // mov rax, [rbx]; mov rcx, [rax]
  const Measurement measurement =
      prepared_under("rbx=0x5000010 mem=0x6000020", profiler_, kLoads, &attempts_);
  EXPECT_EQ(measurement.initial_state, "distinct rbx=0x5000010 mem=0x6000020");
  const auto& accesses = attempts_.at(0).prepared.trace.accesses;
  ASSERT_GE(accesses.size(), 2U);
  EXPECT_EQ(accesses[0].address, 0x5000010U);
  EXPECT_EQ(accesses[1].address, 0x6000020U);
}

TEST(ProfilerSettings, AStateOfItsOwnComesOnTopOfWhatAllBlocksHave) {
  Settings settings;
  settings.initial_state = "bhive";
  settings.state_overrides.registers = {{GeneralRegister::kRbx, 0x5000010},
                                        {GeneralRegister::kRcx, 1}};
  settings.state_overrides.memory_word = 2;
  Profiler profiler(settings, processor_at_hand());
  constexpr const char* kLoad = "488b03";  // mov rax, qword ptr [rbx]
  std::vector<Attempt> attempts;
  const auto name_of = [&](const std::string& state) {
    return prepared_under(state, profiler, kLoad, &attempts).initial_state;
  };
  EXPECT_EQ(name_of(""), "bhive rcx=0x1 rbx=0x5000010 mem=0x2");
  EXPECT_EQ(name_of("rcx=3"), "bhive rcx=0x3 rbx=0x5000010 mem=0x2");
  EXPECT_EQ(name_of("apart mem=4"), "apart rcx=0x1 rbx=0x5000010 mem=0x4");
  EXPECT_EQ(attempts.at(0).prepared.trace.accesses.at(0).address, 0x5000010U);
}

TEST(ProfilerSettings, AFixedProtocolTakesAStateOfABlocksOwn) {
  Profiler profiler(default_settings("bhive"), processor_at_hand());
  std::vector<Attempt> attempts;
  const Measurement measurement = prepared_under("rbx=0x5000010", profiler, "488b03", &attempts);
  EXPECT_EQ(measurement.outcome.reason, Reason::kStopped);
  EXPECT_EQ(measurement.initial_state, "bhive rbx=0x5000010");
  EXPECT_EQ(attempts.at(0).prepared.trace.accesses.at(0).address, 0x5000010U);
}

struct OfTrait {
  Trait trait;
  const char* hex;
};

// A block for each trait:
// - mov qword ptr [rbx], rax; mov rcx, qword ptr [rbx + 0x4000]: four pages on is the same frame
// - mov rax, qword ptr [rbx + 0xabc]: begins four bytes before the page's end
// - fld1: is never popped
// - mov qword ptr [rbx], rax; mov rax, qword ptr [rbx]: loads what it stored
constexpr OfTrait kOfTraits[] = {{Trait::kPageAliasing, "488903488b8b00400000"},
                                 {Trait::kSplitPage, "488b83bc0a0000"},
                                 {Trait::kX87Stack, "d9e8"},
                                 {Trait::kMemoryDependence, "488903488b03"}};

TEST(ProfilerSettings, TraitsAreReportedAndNotRejectedIfNotAskedFor) {
  Settings settings;
  settings.reject = {};
  settings.state_overrides.frames = 4;
  Profiler profiler(settings, processor_at_hand());
  for (const OfTrait& row : kOfTraits) {
    const Measurement measurement =
        profiler.measure({bytes_from_hex(row.hex)}, Notion::kUnrolled, {.last = Stage::kPrepare});
    EXPECT_EQ(measurement.outcome.reason, Reason::kStopped) << name(row.trait);
    EXPECT_TRUE(measurement.traits.has(row.trait)) << name(row.trait);
  }
}

TEST(ProfilerSettings, WhatTwiceTheCopiesCannotDoIsDoneWithFewer) {
  if (!features().pages_are_alike) GTEST_SKIP() << "on this CPU no longer plan is tried first";
  Settings settings;
  settings.page_limit = 60;
  settings.reject = {};  // a smaller cache does not surely hold the fewer copies either
  Profiler profiler(settings, processor_at_hand());
  std::vector<Attempt> attempts;
  // mov rcx, rbx; and rcx, -1024; mov rax, [rcx]; add rbx, 1000: this walk is not even, so that it
  // is not foreseen. 3n copies come through 47 pages, and 6n through 94.
  const Measurement measurement =
      profiler.measure({bytes_from_hex("4889d94881e100fcffff488b014881c3e8030000")},
                       Notion::kUnrolled, {.last = Stage::kSample, .attempts = &attempts});
  EXPECT_EQ(measurement.outcome.reason, Reason::kStopped);
  ASSERT_EQ(attempts.size(), 2);
  EXPECT_EQ(attempts.front().measurement.outcome.reason, Reason::kPageLimit);
  EXPECT_LT(measurement.copies, attempts.front().measurement.copies);
}

TEST(ProfilerSettings, AWalkOutOfTheCacheIsRunIfThatIsNotToBeRejected) {
  Settings settings;
  settings.reject = {};
  const auto prepare = [&] {
    // add rbx, 4096; mov rax, [rbx]; and NOPs, so that 3n copies are fewer than 128 pages
    std::string hex = "4881c300100000488b03";
    for (int i = 0; i < 60; ++i) hex += "90";
    return Profiler(settings, processor_at_hand())
        .measure({bytes_from_hex(hex)}, Notion::kUnrolled, {.last = Stage::kPrepare});
  };
  const Measurement own = prepare();
  EXPECT_EQ(own.outcome.reason, Reason::kStopped);
  EXPECT_TRUE(own.traits.has(Trait::kCacheReach));
  settings.state_overrides.frames = 1;
  EXPECT_FALSE(prepare().traits.has(Trait::kCacheReach)) << "all pages are one frame";
}

TEST(ProfilerSettings, ATraitIsTheReasonWhereItIsToBeRejected) {
  for (const OfTrait& row : kOfTraits) {
    Settings settings;
    settings.reject = {row.trait};
    settings.state_overrides.frames = 4;
    Profiler profiler(settings, processor_at_hand());
    const Measurement measurement =
        profiler.measure({bytes_from_hex(row.hex)}, Notion::kUnrolled, {.last = Stage::kPrepare});
    EXPECT_EQ(name(measurement.outcome.reason), name(row.trait));
    EXPECT_EQ(measurement.outcome.verdict(), Verdict::kRejected);
    EXPECT_THAT(measurement.outcome.detail, HasSubstr("in copy")) << name(row.trait);
  }
}

TEST(ProfilerSettings, WaitsNoLongerThanItsPatienceAndSaysSo) {
  Settings settings;
  settings.series_slowdown = -10;  // no core is that fast, so that all series count as disturbed
  settings.visit_patience = std::chrono::milliseconds(30);
  Profiler profiler(settings, processor_at_hand());
  std::vector<std::chrono::nanoseconds> waits;
  profiler.on_waiting([&](std::chrono::nanoseconds waited) { waits.push_back(waited); });
  const Measurement measurement = profiler.measure({bytes_from_hex("4801d8")});
  EXPECT_EQ(measurement.outcome.reason, Reason::kInterference);
  EXPECT_FALSE(measurement.estimate);
  ASSERT_FALSE(waits.empty());
  // The block waits, and then its control does, as long as may be.
  const auto control = std::ranges::is_sorted_until(waits);
  ASSERT_NE(control, waits.end());
  EXPECT_GE(*(control - 1), settings.visit_patience);
  EXPECT_TRUE(std::is_sorted(control, waits.end()));
  EXPECT_GE(waits.back(), settings.visit_patience);
  EXPECT_EQ(profiler.disturbed_series(), profiler.series());
  EXPECT_EQ(profiler.series(), static_cast<std::int64_t>(waits.size()));
  // The subject's process may have been the cause, so the next block gets a new one.
  EXPECT_EQ(profiler.measure({bytes_from_hex("4801d8")}).outcome.reason, Reason::kInterference);
  EXPECT_EQ(profiler.subjects_started(), 2);
}

TEST(ProfilerSettings, TimeLimitIsKept) {
  Settings settings;
  settings.time_limit = std::chrono::milliseconds(1);
  Profiler profiler(settings, processor_at_hand());
  // mov ecx, 0x20000; mov rsi, rbx; rep lodsb: at a byte a cycle, 334 copies take some 10 ms
  const Measurement measurement = profiler.measure({bytes_from_hex("b9000002004889def3ac")});
  EXPECT_EQ(measurement.outcome.verdict(), Verdict::kRejected);
  EXPECT_EQ(measurement.outcome.reason, Reason::kTimeLimit);
  EXPECT_EQ(profiler.subjects_started(), 1);
}

TEST(Processor, OneThatMayNotBeUsedIsAnError) {
  EXPECT_THROW(Profiler(Settings{}, 100'000), InputError);
}

TEST_F(ProfilerTest, APageThatIsMaskedOutIsMappedAllTheSame) {
  if (!features().avx) GTEST_SKIP() << "this CPU or system has no AVX";
  // vmaskmovps ymm0, ymm1, ymmword ptr [rax]: no sign in the mask is set
  EXPECT_EQ(measure("c4e2752c00", Stage::kPrepare).pages, 1);
}

TEST(ProfilerSettings, InitCodeThatFaultsIsTheBlocksOutcome) {
  Settings settings;
  settings.state_overrides.code = {0x0f, 0x0b};  // ud2
  Profiler profiler(settings, processor_at_hand());
  EXPECT_EQ(profiler.measure({{0x90}}, Notion::kUnrolled, {.last = Stage::kPrepare}).outcome.reason,
            Reason::kUnsupportedInstruction);
}

}  // namespace
}  // namespace assay

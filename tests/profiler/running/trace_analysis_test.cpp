#include "profiler/running/trace_analysis.h"

#include <gtest/gtest.h>

#include <variant>

#include "profiler/block/bytes.h"
#include "profiler/block/text.h"
#include "profiler/subject/layout.h"

namespace assay {
namespace {

constexpr TraceConditions kConditions = {
    .pages = 1, .data_tlb_entries = 64, .frames = 1, .home = 0x5ec7'2000'0000, .block_size = 16};

/// A traced program, made access by access; each access belongs to a new instruction.
class Program {
 public:
  Program& load(std::uint64_t address, std::uint64_t size) {
    return add({0, 0, address, size, size, true, false});
  }
  Program& store(std::uint64_t address, std::uint64_t size) {
    return add({0, 0, address, size, size, false, true});
  }
  Program& update(std::uint64_t address, std::uint64_t size) {
    return add({0, 0, address, size, size, true, true});
  }
  Program& repeat(std::uint64_t address, std::uint64_t size, std::uint64_t element) {
    return add({0, 0, address, size, element, true, false});
  }
  Program& status(std::uint32_t mxcsr, std::uint16_t x87) {
    trace.statuses.push_back({mxcsr, x87, 0});
    return *this;
  }
  /// Makes the last access belong to the same instruction as the one before it.
  Program& together() {
    trace.accesses.back().instruction = trace.accesses[trace.accesses.size() - 2].instruction;
    return *this;
  }
  Traits traits(TraceConditions conditions = kConditions) const {
    return analyse(trace, conditions).traits;
  }

  Trace trace;

 private:
  Program& add(TracedAccess access) {
    access.instruction = trace.accesses.size();
    trace.accesses.push_back(access);
    return *this;
  }
};

TEST(TraceAnalysis, NothingInAnEmptyTrace) {
  EXPECT_TRUE(Program().traits().empty());
  EXPECT_FALSE(analyse({}, kConditions).intrusion);
}

TEST(TraceAnalysis, SplitsOfLinesAndPages) {
  EXPECT_TRUE(Program().load(0x1038, 8).traits().empty());
  EXPECT_EQ(Program().load(0x1039, 8).traits(), Traits{Trait::kSplitLine});
  EXPECT_EQ(Program().store(0x1ff9, 8).traits(), (Traits{Trait::kSplitLine, Trait::kSplitPage}));
  EXPECT_TRUE(Program().load(0x1040, 64).traits().empty());
  EXPECT_EQ(Program().load(0x1041, 64).traits(), Traits{Trait::kSplitLine});
}

TEST(TraceAnalysis, ManyElementsAreSplitOnlyIfOneOfThemIs) {
  EXPECT_TRUE(Program().repeat(0x1000, 8192, 4).traits().empty());
  EXPECT_TRUE(Program().repeat(0x103f, 4, 1).traits().empty());
  EXPECT_EQ(Program().repeat(0x1002, 8192, 4).traits(),
            (Traits{Trait::kSplitLine, Trait::kSplitPage}));
  EXPECT_TRUE(Program().load(0x1000, 512).traits().empty());  // fxsave
}

TEST(TraceAnalysis, TlbReach) {
  TraceConditions conditions = kConditions;
  conditions.pages = 64;
  EXPECT_TRUE(Program().traits(conditions).empty());
  conditions.pages = 65;
  EXPECT_EQ(Program().traits(conditions), Traits{Trait::kTlbReach});
}

TEST(TraceAnalysis, DependencesAreLoadsOfWhatWasStored) {
  const Traits dependence = {Trait::kMemoryDependence};
  EXPECT_EQ(Program().store(0x1000, 8).load(0x1000, 8).traits(), dependence);
  EXPECT_EQ(Program().store(0x1000, 8).load(0x1007, 1).traits(), dependence);
  EXPECT_EQ(Program().store(0x1007, 1).load(0x1000, 8).traits(), dependence);
  EXPECT_TRUE(Program().store(0x1000, 8).load(0x1008, 8).traits().empty());
  EXPECT_TRUE(Program().load(0x1000, 8).store(0x1000, 8).traits().empty());
  EXPECT_TRUE(Program().store(0x1000, 8).store(0x1000, 8).traits().empty());
  EXPECT_TRUE(Program().update(0x1000, 8).traits().empty());
  EXPECT_EQ(Program().update(0x1000, 8).update(0x1000, 8).traits(), dependence);
  EXPECT_EQ(Program().store(0x103c, 8).load(0x1040, 4).traits(),
            dependence | Traits{Trait::kSplitLine});
}

TEST(TraceAnalysis, AnInstructionLoadsBeforeItStores) {
  EXPECT_TRUE(Program().store(0x1000, 8).load(0x1000, 8).together().traits().empty());
}

TEST(TraceAnalysis, AliasesAreInOneFrameOnly) {
  const Traits aliasing = {Trait::kPageAliasing};
  EXPECT_EQ(Program().store(0x1000, 8).load(0x2000, 8).traits(), aliasing);
  EXPECT_EQ(Program().store(0x1000, 8).load(0x2004, 8).traits(), aliasing);
  EXPECT_TRUE(Program().store(0x1000, 8).load(0x2008, 8).traits().empty());
  EXPECT_TRUE(Program().load(0x1000, 8).store(0x2000, 8).traits().empty());
}

TEST(TraceAnalysis, LoadsOfOneLineThroughTwoPagesAreAliases) {
  const TraceConditions two_pages = {.pages = 2, .data_tlb_entries = 64, .frames = 1};
  EXPECT_EQ(Program().load(0x1000, 8).load(0x2008, 8).traits(two_pages),
            Traits{Trait::kPageAliasing});
  EXPECT_TRUE(Program().load(0x1000, 8).load(0x2040, 8).traits(two_pages).empty());
  EXPECT_TRUE(Program().load(0x1000, 8).load(0x1008, 8).traits(two_pages).empty());
  const TraceConditions two_frames = {.pages = 2, .data_tlb_entries = 64, .frames = 2};
  EXPECT_TRUE(Program().load(0x1000, 8).load(0x2008, 8).traits(two_frames).empty());
  const TraceConditions own_frames = {.pages = 2, .data_tlb_entries = 64};
  EXPECT_TRUE(Program().load(0x1000, 8).load(0x2008, 8).traits(own_frames).empty());
  EXPECT_TRUE(Program().store(0x1000, 8).load(0x2000, 8).traits(own_frames).empty());
}

TEST(TraceAnalysis, MoreFramesKeepPagesApart) {
  TraceConditions conditions = kConditions;
  conditions.frames = 2;
  EXPECT_TRUE(Program().store(0x1000, 8).load(0x2000, 8).traits(conditions).empty());
  EXPECT_EQ(Program().store(0x1000, 8).load(0x3000, 8).traits(conditions),
            Traits{Trait::kPageAliasing});
  conditions.frames = 3;
  EXPECT_TRUE(Program().store(0x1000, 8).load(0x3000, 8).traits(conditions).empty());
}

TEST(TraceAnalysis, OnlyTheYoungestStoreCounts) {
  // The alias is overwritten before the load, which then depends on its own page's store.
  EXPECT_EQ(Program().store(0x2000, 8).store(0x1000, 8).load(0x1000, 8).traits(),
            Traits{Trait::kMemoryDependence});
  // An alias is stored in between: the dependence exists in any program, the alias only because of
  // the frame.
  EXPECT_EQ(Program().store(0x1000, 8).store(0x2000, 8).load(0x1000, 8).traits(),
            (Traits{Trait::kMemoryDependence, Trait::kPageAliasing}));
  // Half of the alias is overwritten.
  EXPECT_EQ(Program().store(0x2000, 8).store(0x1000, 4).load(0x1000, 8).traits(),
            (Traits{Trait::kMemoryDependence, Trait::kPageAliasing}));
}

TEST(TraceAnalysis, StoresThatHaveLeftTheBufferAreForgotten) {
  Program program;
  program.store(0x1000, 8);
  for (int i = 1; i < kStoreBuffer; ++i) program.store(0x1100, 8);
  Program one_more = program;
  EXPECT_EQ(program.load(0x1000, 8).traits(), Traits{Trait::kMemoryDependence});
  EXPECT_TRUE(one_more.store(0x1100, 8).load(0x1000, 8).traits().empty());
}

TEST(TraceAnalysis, FurtherCopiesMayLoadWhatTheTracedOnesStored) {
  Program program = Program().store(0x1000, 8).load(0x2000, 8);
  EXPECT_TRUE(program.traits({.pages = 2, .data_tlb_entries = 64}).empty());
  program.trace.foreseen = Program().store(0x3000, 8).load(0x1004, 8).trace.accesses;
  const TraceFindings found = analyse(program.trace, {.pages = 2, .data_tlb_entries = 64});
  EXPECT_EQ(found.traits, Traits{Trait::kMemoryDependence});
  EXPECT_EQ(found.findings.at(0).access.address, 0x1004U);
}

TEST(TraceAnalysis, StatusWords) {
  EXPECT_TRUE(Program().status(0x1fa0 | 0x0d, 0).traits().empty());  // all but DE and UE
  EXPECT_EQ(Program().status(0x1f82, 0).traits(), Traits{Trait::kSubnormal});
  EXPECT_EQ(Program().status(0x1f90, 0).traits(), Traits{Trait::kSubnormal});
  EXPECT_EQ(Program().status(0x1f80, 0x02).traits(), Traits{Trait::kSubnormal});
  EXPECT_EQ(Program().status(0x1f80, 0x41).traits(), Traits{Trait::kX87Stack});
  EXPECT_TRUE(Program().status(0x1f80, 0x01).traits().empty());  // invalid, but no stack fault
}

TEST(TraceAnalysis, AccessesThatAreNoneOfTheBlocks) {
  const auto reason = [](std::uint64_t address) {
    const auto found = analyse(Program().load(address, 8).trace, kConditions).intrusion;
    return found ? found->reason : Reason::kNone;
  };
  EXPECT_EQ(reason(subject::kBase - 8), Reason::kNone);
  EXPECT_EQ(reason(subject::kBase - 7), Reason::kSubjectMemory);
  EXPECT_EQ(reason(subject::kTrace), Reason::kSubjectMemory);
  EXPECT_EQ(reason(subject::kBase + subject::kSpan), Reason::kNone);
  EXPECT_EQ(reason(kConditions.home - 8), Reason::kNone);
  EXPECT_EQ(reason(kConditions.home + 15), Reason::kRipRelativeCode);
  EXPECT_EQ(reason(kConditions.home + 16), Reason::kNone);
}

TEST(TraceAnalysis, EveryTraitHasOneFindingAndASentence) {
  const Block block = std::get<Block>(decode(bytes_from_hex("4889433e488b433e")));
  Program program;
  program.store(0x103e, 8).load(0x103e, 8).load(0x203e, 8).status(0x1f82, 0x41);
  program.trace.accesses[2].instruction = 1;
  TraceConditions conditions = kConditions;
  conditions.pages = 100;
  const TraceFindings found = analyse(program.trace, conditions);
  EXPECT_EQ(found.traits, (Traits{Trait::kSplitLine, Trait::kTlbReach, Trait::kPageAliasing,
                                  Trait::kMemoryDependence, Trait::kX87Stack, Trait::kSubnormal}));
  ASSERT_EQ(found.findings.size(), 6U);
  for (const Finding& finding : found.findings) {
    const std::string text = describe(finding, block, conditions);
    EXPECT_FALSE(text.empty()) << name(finding.trait);
    if (finding.trait == Trait::kSplitLine) {
      EXPECT_EQ(text, "in copy 1 at offset 0 (" + text_of(bytes_from_hex("4889433e")) +
                          "): 8 bytes at 0x103e, across the end of a cache line");
    }
    if (finding.trait == Trait::kPageAliasing) {
      EXPECT_EQ(text, "in copy 1 at offset 4 (" + text_of(bytes_from_hex("488b433e")) +
                          "): 8 bytes at 0x203e, which share a frame's line with 8 bytes at "
                          "0x103e in copy 1");
    }
  }
}

}  // namespace
}  // namespace assay

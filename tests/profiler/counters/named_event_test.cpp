#include "profiler/counters/named_event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/support/error.h"
#include "tests/error_of.h"
#include "tests/profiler/counters/forced_pmu.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const CorePmu kAtom = {"cpu_atom", 10, {}, {}};
const CorePmu kCore = {"cpu_core", 4, {}, {}};

std::string name_complaint(const std::string& name,
                           const std::optional<CorePmu>& pmu = std::nullopt) {
  return error_of<InputError>([&] { encode_named_event(name, pmu); });
}

TEST(NamedEvent, TheKernelsOwn) {
  struct Generic {
    const char* name;
    std::uint32_t type;
    std::uint64_t config;
  };
  // Types and codes from linux/perf_event.h.
  for (const Generic& known : {Generic{"cycles", 0, 0},
                               {"perf::CPU-CYCLES", 0, 0},
                               {"instructions", 0, 1},
                               {"branches", 0, 4},
                               {"branch-misses", 0, 5},
                               {"ref-cycles", 0, 9},
                               {"task-clock", 1, 1},
                               {"page-faults", 1, 2},
                               {"PERF_COUNT_SW_PAGE_FAULTS", 1, 2},
                               {"context-switches", 1, 3},
                               {"L1-dcache-load-misses", 3, 0x10000},
                               {"cycles:u", 0, 0}}) {
    const Event event = encode_named_event(known.name, std::nullopt);
    EXPECT_EQ(event.type, known.type) << known.name;
    EXPECT_EQ(event.config, known.config) << known.name;
    EXPECT_EQ(event.name, known.name);
  }
}

TEST(NamedEvent, OnAHybridCpuGenericEventsSayWhichCores) {
  EXPECT_EQ(encode_named_event("cycles", kAtom).config, 0xa00000000U);
  EXPECT_EQ(encode_named_event("instructions", kCore).config, 0x400000001U);
  EXPECT_EQ(encode_named_event("L1-dcache-load-misses", kAtom).config, 0xa00010000U);
  EXPECT_EQ(encode_named_event("cycles", kAtom).type, 0U);
  EXPECT_EQ(encode_named_event("page-faults", kAtom).config, 2U);
  EXPECT_EQ(encode_named_event("cycles", CorePmu{"cpu", 4, {}, {}}).config, 0U);
}

TEST(NamedEvent, OfAnotherKindOfCoreIsRefused) {
  if (ran_with_pmu("skl")) return;
  EXPECT_EQ(encode_named_event("INST_RETIRED:ANY_P", kCore).type, 4U);
  EXPECT_THAT(name_complaint("INST_RETIRED:ANY_P", kAtom),
              AllOf(HasSubstr("skl"), HasSubstr("another kind of core"), HasSubstr("cpu_atom")));
}

TEST(NamedEvent, ArchitecturalEventsAreOfAnyIntelCore) {
  if (ran_with_pmu("ix86arch")) return;
  if (!name_complaint("INSTRUCTION_RETIRED").empty()) {
    GTEST_SKIP() << "libpfm has no architectural events where CPUID tells of none (leaf 0AH)";
  }
  EXPECT_EQ(encode_named_event("INSTRUCTION_RETIRED", kAtom).type, 10U);
}

TEST(NamedEvent, NearNamesAreSaid) {
  if (ran_with_pmu("skl")) return;
  EXPECT_THAT(name_complaint("INST_RETIERD:ANY_P"),
              AllOf(HasSubstr("event INST_RETIERD:ANY_P: "), HasSubstr("\"INST_RETIERD\""),
                    HasSubstr("skl"), HasSubstr("near it: INST_RETIRED")));
  EXPECT_THAT(name_complaint("nothing_of_this_kind"), Not(HasSubstr("near it")));
}

TEST(NamedEvent, OfAnotherCpuIsRefused) {
  if (ran_with_pmu("skl")) return;
  EXPECT_THAT(name_complaint("amd64_fam19h_zen4::RETIRED_INSTRUCTIONS"),
              AllOf(HasSubstr("no PMU \"amd64_fam19h_zen4\""), HasSubstr("skl")));
}

TEST(NamedEvent, UnitMasksAreSaid) {
  if (ran_with_pmu("skl")) return;
  EXPECT_THAT(name_complaint("MEM_LOAD_RETIRED"),
              AllOf(HasSubstr("needs a unit mask"), HasSubstr("L1_MISS"), HasSubstr("L3_HIT")));
  EXPECT_THAT(name_complaint("MEM_LOAD_RETIRED:L1_MIS"),
              AllOf(HasSubstr("no \"L1_MIS\""), HasSubstr("near it: L1_MISS"), HasSubstr("L3_HIT"),
                    HasSubstr("modifiers")));
  EXPECT_THAT(name_complaint("skl::MEM_LOAD_RETIRED.L1_MISS.q=1"), HasSubstr("no \"q=1\""));
  EXPECT_THAT(name_complaint("MEM_INST_RETIRED:SPLIT_LOADS:SPLIT_STORES"),
              AllOf(HasSubstr("cannot be counted together"), HasSubstr("SPLIT_STORES")));
}

TEST(NamedEvent, ValuesAreNeverTruncated) {
  if (ran_with_pmu("skl")) return;
  EXPECT_THAT(name_complaint("INST_RETIRED:ANY_P:c=256"), HasSubstr("\"c=256\""));
  EXPECT_THAT(name_complaint("INST_RETIRED:ANY_P:c=x"), HasSubstr("\"c=x\""));
  EXPECT_THAT(name_complaint("INST_RETIRED:ANY_P:c=1:c=2"), HasSubstr("twice"));
  EXPECT_THAT(name_complaint("INST_RETIRED:0x1ff"), HasSubstr("\"0x1ff\""));
}

TEST(NamedEvent, OnlyTheUsersModeIsCounted) {
  if (ran_with_pmu("amd64_fam19h_zen4")) return;
  for (const char* name :
       {"RETIRED_INSTRUCTIONS:k", "RETIRED_INSTRUCTIONS:u:k", "RETIRED_INSTRUCTIONS:K=1",
        "RETIRED_INSTRUCTIONS:h", "RETIRED_INSTRUCTIONS:u=0", "RETIRED_INSTRUCTIONS:g=1"}) {
    EXPECT_THAT(name_complaint(name), AllOf(HasSubstr(name), HasSubstr("user mode only"))) << name;
  }
  EXPECT_EQ(name_complaint("RETIRED_INSTRUCTIONS:u=1:k=0"), "");
}

TEST(NamedEvent, NothingIsSampled) {
  if (ran_with_pmu("skl")) return;
  for (const char* name : {"INST_RETIRED:ANY_P:precise=2", "INST_RETIRED:ANY_P:period=1000",
                           "INST_RETIRED:ANY_P:pinned"}) {
    EXPECT_THAT(name_complaint(name), HasSubstr("only counts")) << name;
  }
}

TEST(NamedEvent, OddOnesAreRefused) {
  for (const char* name :
       {":", "::", "perf::", "a::b::c", "cycles,instructions", "cycles instructions", "\xff"}) {
    EXPECT_NE(name_complaint(name), "") << name;
  }
}

}  // namespace
}  // namespace assay

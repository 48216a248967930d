// Checks encodings against the manuals: event selects and unit masks against Intel's lists of
// events (perfmon) and AMD's Processor Programming References, and the bits of cmask, inv and edge
// against the SDM and the APM.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profiler/counters/event_encoder.h"
#include "tests/profiler/counters/forced_pmu.h"
#include "tests/profiler/counters/made_up_pmu.h"

namespace assay {
namespace {

struct Known {
  std::string specification;
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
};

void expect_encodings(const EventEncoder& encoder, const std::vector<Known>& list) {
  for (const Known& known : list) {
    const Event event = encoder.encode({known.specification, known.specification, false});
    EXPECT_EQ(event.type, 4U) << known.specification;
    EXPECT_EQ(event.config, known.config) << known.specification;
    EXPECT_EQ(event.config1, known.config1) << known.specification;
    EXPECT_EQ(event.config2, 0U) << known.specification;
    EXPECT_FALSE(is_software(event)) << known.specification;
  }
}

TEST(KnownEncodings, Skylake) {
  if (ran_with_pmu("skl")) return;
  expect_encodings(EventEncoder(std::nullopt, "GenuineIntel"),
                   {{"INST_RETIRED:ANY_P", 0xc0},
                    {"CPU_CLK_UNHALTED:THREAD_P", 0x3c},
                    {"UOPS_DISPATCHED_PORT:PORT_5", 0x20a1},
                    {"UOPS_ISSUED:ANY", 0x10e},
                    {"UOPS_ISSUED:ANY:c=1:i", 0x180010e},
                    {"UOPS_ISSUED:ANY:c=1:i:e", 0x184010e},
                    {"MEM_LOAD_RETIRED.L1_MISS", 0x8d1},
                    {"skl::BR_MISP_RETIRED:ALL_BRANCHES:u", 0xc5},
                    {"FRONTEND_RETIRED:L1I_MISS", 0x1c6, 0x12},
                    {"cpu/event=0xa1,umask=0x20/", 0x20a1},
                    {"r20a1", 0x20a1}});
}

TEST(KnownEncodings, IceLake) {
  if (ran_with_pmu("icl")) return;
  expect_encodings(EventEncoder(std::nullopt, "GenuineIntel"),
                   {{"INST_RETIRED:ANY_P", 0xc0},
                    {"CPU_CLK_UNHALTED:THREAD_P", 0x3c},
                    {"MEM_INST_RETIRED:SPLIT_LOADS", 0x41d0},
                    {"DTLB_LOAD_MISSES:WALK_COMPLETED", 0xe08},
                    {"ICACHE_64B:IFTAG_MISS", 0x283},
                    {"UOPS_ISSUED:ANY:c=4", 0x400010e},
                    {"UOPS_ISSUED:ANY:c=1:e", 0x104010e}});
}

TEST(KnownEncodings, SapphireRapids) {
  if (ran_with_pmu("spr")) return;
  expect_encodings(EventEncoder(std::nullopt, "GenuineIntel"),
                   {{"INST_RETIRED:ANY_P", 0xc0},
                    {"CPU_CLK_UNHALTED:THREAD_P", 0x3c},
                    {"UOPS_ISSUED:ANY", 0x1ae},
                    {"UOPS_ISSUED:ANY:c=1:i", 0x18001ae},
                    {"DTLB_STORE_MISSES:WALK_COMPLETED", 0xe13},
                    {"MEM_INST_RETIRED:SPLIT_STORES", 0x42d0},
                    {"FRONTEND_RETIRED:L1I_MISS", 0x1c6, 0x12}});
}

// libpfm4 4.13 does not know Alder Lake, so its events are given as codes.
TEST(KnownEncodings, AlderLakesPCores) {
  const MadeUpDevices devices(hybrid_files());
  expect_encodings(EventEncoder(find_core_pmu(0, devices.path()), "GenuineIntel"),
                   {{"cpu/event=0xc0,umask=0x00/", 0xc0},
                    {"cpu_core/event=0x3c/", 0x3c},
                    {"cpu/event=0xd1,umask=0x08/", 0x8d1},
                    {"cpu/event=0xc6,umask=0x01,frontend=0x12/", 0x1c6, 0x12},
                    {"instructions", 0xc0},
                    {"r1ae", 0x1ae}});
}

TEST(KnownEncodings, AlderLakesECores) {
  const MadeUpDevices devices(hybrid_files());
  const EventEncoder encoder(find_core_pmu(4, devices.path()), "GenuineIntel");
  for (const Known& known : std::vector<Known>{{"cpu/event=0xc0/", 0xc0},
                                               {"cpu/event=0x3c/", 0x3c},
                                               {"cpu_atom/event=0xd1,umask=0x02/", 0x2d1},
                                               {"cpu/event=0xc2,cmask=1,inv/", 0x18000c2},
                                               {"instructions", 0xc0}}) {
    const Event event = encoder.encode({known.specification, known.specification, false});
    EXPECT_EQ(event.type, 10U) << known.specification;
    EXPECT_EQ(event.config, known.config) << known.specification;
  }
}

TEST(KnownEncodings, Zen2) {
  if (ran_with_pmu("amd64_fam17h_zen2")) return;
  expect_encodings(EventEncoder(std::nullopt, "AuthenticAMD"),
                   {{"RETIRED_INSTRUCTIONS", 0xc0},
                    {"CYCLES_NOT_IN_HALT", 0x76},
                    {"L1_DTLB_MISS:TLB_RELOAD_4K_L2_MISS", 0x1045},
                    {"LS_DISPATCH:LD_DISPATCH:STORE_DISPATCH", 0x329},
                    {"RETIRED_INSTRUCTIONS:c=1:i:e", 0x18400c0},
                    {"RETIRED_BRANCH_MISPREDICTED_DIRECTION_MISMATCH", 0x1000000c7},
                    {"cpu/event=0x1c7/", 0x1000000c7}});
}

TEST(KnownEncodings, Zen3) {
  if (ran_with_pmu("amd64_fam19h_zen3")) return;
  expect_encodings(EventEncoder(std::nullopt, "AuthenticAMD"),
                   {{"RETIRED_INSTRUCTIONS", 0xc0},
                    {"CYCLES_NOT_IN_HALT", 0x76},
                    {"MISALIGNED_LOADS:MA64", 0x147},
                    {"IC_TAG_HIT_MISS:IC_MISS", 0x10000188e},
                    {"OP_CACHE_HIT_MISS:OC_MISS", 0x20000048f},
                    {"OP_CACHE_HIT_MISS:OC_MISS:c=2:e", 0x20204048f}});
}

TEST(KnownEncodings, Zen4) {
  if (ran_with_pmu("amd64_fam19h_zen4")) return;
  expect_encodings(EventEncoder(std::nullopt, "AuthenticAMD"),
                   {{"RETIRED_INSTRUCTIONS", 0xc0},
                    {"CYCLES_NOT_IN_HALT", 0x76},
                    {"RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED", 0xc3},
                    {"MAB_ALLOCATION_BY_TYPE:LS", 0x3f41},
                    {"IC_TAG_HIT_MISS:IC_MISS:c=1:i", 0x10180188e},
                    {"cpu/event=0x18e,umask=0x18,cmask=1,inv/", 0x10180188e},
                    {"r10180188e", 0x10180188e}});
}

}  // namespace
}  // namespace assay

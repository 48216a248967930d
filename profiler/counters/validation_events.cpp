#include "profiler/counters/validation_events.h"

#include <algorithm>
#include <iterator>

namespace assay {
namespace {

constexpr bool kUntested = false;

// Events have libpfm4's names if libpfm4 4.13 knows all CPUs of the microarchitecture, and codes if
// it does not. Intel's lists of events are those of github.com/intel/perfmon, which Linux has in
// tools/perf/pmu-events/arch/x86; AMD's are in the Processor Programming Reference (PPR) of each
// family and model, section Performance Monitor Counters.
//
// Why these events were chosen on Intel's large cores:
// - L1D.REPLACEMENT counts lines that are brought into the cache, for loads and stores alike;
//   MEM_LOAD_RETIRED.L1_MISS would not count stores.
// - The event that counts instruction fetches that miss was called ICACHE.MISSES, and is
//   ICACHE_64B.IFTAG_MISS from Skylake on. Since Golden Cove no event counts fetches, only cycles
//   in which they stall. FRONTEND_RETIRED.L1I_MISS is used there because a single instruction that
//   missed is enough for it to count.
// - Page walks are counted when they begin if there is such an event, and when they complete from
//   Ice Lake on.
// - Splits are counted at retirement from Broadwell on. From Sandy Bridge to Haswell, the events
//   0xd0 to 0xd3 disturb the other hyper-thread's counters (errata BJ122, BV98, HSD29), so that
//   Linux lets nothing be counted beside them there; splits are counted at dispatch instead, by
//   event 0x05.

constexpr std::string_view kSnbToHswSource =
    "Intel perfmon lists sandybridge, ivybridge, haswell; libpfm4 intel_snb_events.h";
constexpr ValidationEvent kSandyBridgeToHaswell[] = {
    {Reason::kInstructionCount, "INST_RETIRED:ANY_P", kSnbToHswSource, kUntested},
    {Reason::kDataCacheMiss, "L1D:REPLACEMENT", kSnbToHswSource, kUntested},
    {Reason::kInstructionCacheMiss, "ICACHE:MISSES", kSnbToHswSource, kUntested},
    {Reason::kDataTlbMiss, "DTLB_LOAD_MISSES:MISS_CAUSES_A_WALK", kSnbToHswSource, kUntested},
    {Reason::kDataTlbMiss, "DTLB_STORE_MISSES:MISS_CAUSES_A_WALK", kSnbToHswSource, kUntested},
    {Reason::kInstructionTlbMiss, "ITLB_MISSES:MISS_CAUSES_A_WALK", kSnbToHswSource, kUntested},
    {Reason::kSplitAccess, "MISALIGN_MEM_REF:LOADS", kSnbToHswSource, kUntested},
    {Reason::kSplitAccess, "MISALIGN_MEM_REF:STORES", kSnbToHswSource, kUntested},
    {Reason::kBranchMiss, "BR_MISP_RETIRED:ALL_BRANCHES", kSnbToHswSource, kUntested},
};

constexpr std::string_view kBdwSource =
    "Intel perfmon lists broadwell, broadwellx; libpfm4 intel_bdw_events.h";
constexpr ValidationEvent kBroadwell[] = {
    {Reason::kInstructionCount, "INST_RETIRED:ANY_P", kBdwSource, kUntested},
    {Reason::kDataCacheMiss, "L1D:REPLACEMENT", kBdwSource, kUntested},
    {Reason::kInstructionCacheMiss, "ICACHE:MISSES", kBdwSource, kUntested},
    {Reason::kDataTlbMiss, "DTLB_LOAD_MISSES:MISS_CAUSES_A_WALK", kBdwSource, kUntested},
    {Reason::kDataTlbMiss, "DTLB_STORE_MISSES:MISS_CAUSES_A_WALK", kBdwSource, kUntested},
    {Reason::kInstructionTlbMiss, "ITLB_MISSES:MISS_CAUSES_A_WALK", kBdwSource, kUntested},
    {Reason::kSplitAccess, "MEM_UOPS_RETIRED:SPLIT_LOADS", kBdwSource, kUntested},
    {Reason::kSplitAccess, "MEM_UOPS_RETIRED:SPLIT_STORES", kBdwSource, kUntested},
    {Reason::kBranchMiss, "BR_MISP_RETIRED:ALL_BRANCHES", kBdwSource, kUntested},
};

constexpr std::string_view kSklSource =
    "Intel perfmon lists skylake, skylakex, cascadelakex; libpfm4 intel_skl_events.h";
constexpr ValidationEvent kSkylake[] = {
    {Reason::kInstructionCount, "INST_RETIRED:ANY_P", kSklSource, kUntested},
    {Reason::kDataCacheMiss, "L1D:REPLACEMENT", kSklSource, kUntested},
    {Reason::kInstructionCacheMiss, "ICACHE_64B:IFTAG_MISS", kSklSource, kUntested},
    {Reason::kDataTlbMiss, "DTLB_LOAD_MISSES:MISS_CAUSES_A_WALK", kSklSource, kUntested},
    {Reason::kDataTlbMiss, "DTLB_STORE_MISSES:MISS_CAUSES_A_WALK", kSklSource, kUntested},
    {Reason::kInstructionTlbMiss, "ITLB_MISSES:MISS_CAUSES_A_WALK", kSklSource, kUntested},
    {Reason::kSplitAccess, "MEM_INST_RETIRED:SPLIT_LOADS", kSklSource, kUntested},
    {Reason::kSplitAccess, "MEM_INST_RETIRED:SPLIT_STORES", kSklSource, kUntested},
    {Reason::kBranchMiss, "BR_MISP_RETIRED:ALL_BRANCHES", kSklSource, kUntested},
};

// There is no list for Cannon Lake: only the architectural events are certain.
constexpr std::string_view kSdmSource =
    "Intel SDM volume 3B, Architectural Performance Monitoring: pre-defined events";
constexpr ValidationEvent kArchitectural[] = {
    {Reason::kInstructionCount, "cpu/event=0xc0,umask=0x00,name=INST_RETIRED.ANY_P/", kSdmSource,
     kUntested},
    {Reason::kBranchMiss, "cpu/event=0xc5,umask=0x00,name=BR_MISP_RETIRED.ALL_BRANCHES/",
     kSdmSource, kUntested},
};

constexpr std::string_view kIclSource =
    "Intel perfmon lists icelake, icelakex, tigerlake, rocketlake; libpfm4 intel_icl_events.h";
constexpr ValidationEvent kIceLake[] = {
    {Reason::kInstructionCount, "INST_RETIRED:ANY_P", kIclSource, kUntested},
    {Reason::kDataCacheMiss, "L1D:REPLACEMENT", kIclSource, kUntested},
    {Reason::kInstructionCacheMiss, "ICACHE_64B:IFTAG_MISS", kIclSource, kUntested},
    {Reason::kDataTlbMiss, "DTLB_LOAD_MISSES:WALK_COMPLETED", kIclSource, kUntested},
    {Reason::kDataTlbMiss, "DTLB_STORE_MISSES:WALK_COMPLETED", kIclSource, kUntested},
    {Reason::kInstructionTlbMiss, "ITLB_MISSES:WALK_COMPLETED", kIclSource, kUntested},
    {Reason::kSplitAccess, "MEM_INST_RETIRED:SPLIT_LOADS", kIclSource, kUntested},
    {Reason::kSplitAccess, "MEM_INST_RETIRED:SPLIT_STORES", kIclSource, kUntested},
    {Reason::kBranchMiss, "BR_MISP_RETIRED:ALL_BRANCHES", kIclSource, kUntested},
};

constexpr std::string_view kSprSource =
    "Intel perfmon list sapphirerapids; libpfm4 intel_spr_events.h";
constexpr ValidationEvent kSapphireRapids[] = {
    {Reason::kInstructionCount, "INST_RETIRED:ANY_P", kSprSource, kUntested},
    {Reason::kDataCacheMiss, "L1D:REPLACEMENT", kSprSource, kUntested},
    {Reason::kInstructionCacheMiss, "FRONTEND_RETIRED:L1I_MISS", kSprSource, kUntested},
    {Reason::kDataTlbMiss, "DTLB_LOAD_MISSES:WALK_COMPLETED", kSprSource, kUntested},
    {Reason::kDataTlbMiss, "DTLB_STORE_MISSES:WALK_COMPLETED", kSprSource, kUntested},
    {Reason::kInstructionTlbMiss, "ITLB_MISSES:WALK_COMPLETED", kSprSource, kUntested},
    {Reason::kSplitAccess, "MEM_INST_RETIRED:SPLIT_LOADS", kSprSource, kUntested},
    {Reason::kSplitAccess, "MEM_INST_RETIRED:SPLIT_STORES", kSprSource, kUntested},
    {Reason::kBranchMiss, "BR_MISP_RETIRED:ALL_BRANCHES", kSprSource, kUntested},
};

constexpr std::string_view kGlcSource = "Intel perfmon lists alderlake (cpu_core), emeraldrapids";
constexpr ValidationEvent kGoldenCove[] = {
    {Reason::kInstructionCount, "cpu/event=0xc0,umask=0x00,name=INST_RETIRED.ANY_P/", kGlcSource,
     kUntested},
    {Reason::kDataCacheMiss, "cpu/event=0x51,umask=0x01,name=L1D.REPLACEMENT/", kGlcSource,
     kUntested},
    {Reason::kInstructionCacheMiss,
     "cpu/event=0xc6,umask=0x01,frontend=0x12,name=FRONTEND_RETIRED.L1I_MISS/", kGlcSource,
     kUntested},
    {Reason::kDataTlbMiss, "cpu/event=0x12,umask=0x0e,name=DTLB_LOAD_MISSES.WALK_COMPLETED/",
     kGlcSource, kUntested},
    {Reason::kDataTlbMiss, "cpu/event=0x13,umask=0x0e,name=DTLB_STORE_MISSES.WALK_COMPLETED/",
     kGlcSource, kUntested},
    {Reason::kInstructionTlbMiss, "cpu/event=0x11,umask=0x0e,name=ITLB_MISSES.WALK_COMPLETED/",
     kGlcSource, kUntested},
    {Reason::kSplitAccess, "cpu/event=0xd0,umask=0x41,name=MEM_INST_RETIRED.SPLIT_LOADS/",
     kGlcSource, kUntested},
    {Reason::kSplitAccess, "cpu/event=0xd0,umask=0x42,name=MEM_INST_RETIRED.SPLIT_STORES/",
     kGlcSource, kUntested},
    {Reason::kBranchMiss, "cpu/event=0xc5,umask=0x00,name=BR_MISP_RETIRED.ALL_BRANCHES/",
     kGlcSource, kUntested},
};

// Redwood Cove and Lion Cove differ from Golden Cove in one unit mask, that of FRONTEND_RETIRED.
// Lion Cove's first-level data cache is called L0, and the event for lines brought into it,
// L1D.L0_REPLACEMENT, has the same code as L1D.REPLACEMENT on Redwood Cove. So one table serves
// both, as "arrowlake" requires: Arrow Lake U has Redwood Cove.
constexpr std::string_view kRwcSource =
    "Intel perfmon lists meteorlake, graniterapids, arrowlake, lunarlake (cpu_core)";
constexpr ValidationEvent kRedwoodCove[] = {
    {Reason::kInstructionCount, "cpu/event=0xc0,umask=0x00,name=INST_RETIRED.ANY_P/", kRwcSource,
     kUntested},
    {Reason::kDataCacheMiss, "cpu/event=0x51,umask=0x01,name=L1D.REPLACEMENT/", kRwcSource,
     kUntested},
    {Reason::kInstructionCacheMiss,
     "cpu/event=0xc6,umask=0x03,frontend=0x12,name=FRONTEND_RETIRED.L1I_MISS/", kRwcSource,
     kUntested},
    {Reason::kDataTlbMiss, "cpu/event=0x12,umask=0x0e,name=DTLB_LOAD_MISSES.WALK_COMPLETED/",
     kRwcSource, kUntested},
    {Reason::kDataTlbMiss, "cpu/event=0x13,umask=0x0e,name=DTLB_STORE_MISSES.WALK_COMPLETED/",
     kRwcSource, kUntested},
    {Reason::kInstructionTlbMiss, "cpu/event=0x11,umask=0x0e,name=ITLB_MISSES.WALK_COMPLETED/",
     kRwcSource, kUntested},
    {Reason::kSplitAccess, "cpu/event=0xd0,umask=0x41,name=MEM_INST_RETIRED.SPLIT_LOADS/",
     kRwcSource, kUntested},
    {Reason::kSplitAccess, "cpu/event=0xd0,umask=0x42,name=MEM_INST_RETIRED.SPLIT_STORES/",
     kRwcSource, kUntested},
    {Reason::kBranchMiss, "cpu/event=0xc5,umask=0x00,name=BR_MISP_RETIRED.ALL_BRANCHES/",
     kRwcSource, kUntested},
};

// E-cores. Loads that miss are counted by where they hit: a load that misses the first level again
// and again hits the second. MEM_LOAD_UOPS_RETIRED.L1_MISS is not used: it has another unit mask on
// Skymont than on Crestmont, and the two are not told apart ("arrowlake-e" is either); Gracemont
// lacks it.
constexpr std::string_view kGrtSource = "Intel perfmon list alderlake (cpu_atom)";
constexpr ValidationEvent kGracemont[] = {
    {Reason::kInstructionCount, "cpu/event=0xc0,umask=0x00,name=INST_RETIRED.ANY_P/", kGrtSource,
     kUntested},
    {Reason::kDataCacheMiss, "cpu/event=0xd1,umask=0x02,name=MEM_LOAD_UOPS_RETIRED.L2_HIT/",
     kGrtSource, kUntested},
    {Reason::kInstructionCacheMiss, "cpu/event=0x80,umask=0x02,name=ICACHE.MISSES/", kGrtSource,
     kUntested},
    {Reason::kDataTlbMiss, "cpu/event=0x08,umask=0x0e,name=DTLB_LOAD_MISSES.WALK_COMPLETED/",
     kGrtSource, kUntested},
    {Reason::kDataTlbMiss, "cpu/event=0x49,umask=0x0e,name=DTLB_STORE_MISSES.WALK_COMPLETED/",
     kGrtSource, kUntested},
    {Reason::kInstructionTlbMiss, "cpu/event=0x85,umask=0x0e,name=ITLB_MISSES.WALK_COMPLETED/",
     kGrtSource, kUntested},
    {Reason::kSplitAccess, "cpu/event=0xd0,umask=0x41,name=MEM_UOPS_RETIRED.SPLIT_LOADS/",
     kGrtSource, kUntested},
    {Reason::kBranchMiss, "cpu/event=0xc5,umask=0x00,name=BR_MISP_RETIRED.ALL_BRANCHES/",
     kGrtSource, kUntested},
};

constexpr std::string_view kCmtSource =
    "Intel perfmon lists meteorlake, arrowlake, lunarlake (cpu_atom, cpu_lowpower), sierraforest";
constexpr ValidationEvent kCrestmont[] = {
    {Reason::kInstructionCount, "cpu/event=0xc0,umask=0x00,name=INST_RETIRED.ANY_P/", kCmtSource,
     kUntested},
    {Reason::kDataCacheMiss, "cpu/event=0xd1,umask=0x02,name=MEM_LOAD_UOPS_RETIRED.L2_HIT/",
     kCmtSource, kUntested},
    {Reason::kDataCacheMiss, "cpu/event=0x51,umask=0x01,name=DL1.DIRTY_EVICTION/", kCmtSource,
     kUntested},
    {Reason::kInstructionCacheMiss, "cpu/event=0x80,umask=0x02,name=ICACHE.MISSES/", kCmtSource,
     kUntested},
    {Reason::kDataTlbMiss, "cpu/event=0x08,umask=0x0e,name=DTLB_LOAD_MISSES.WALK_COMPLETED/",
     kCmtSource, kUntested},
    {Reason::kDataTlbMiss, "cpu/event=0x49,umask=0x0e,name=DTLB_STORE_MISSES.WALK_COMPLETED/",
     kCmtSource, kUntested},
    {Reason::kInstructionTlbMiss, "cpu/event=0x85,umask=0x0e,name=ITLB_MISSES.WALK_COMPLETED/",
     kCmtSource, kUntested},
    {Reason::kSplitAccess, "cpu/event=0xd0,umask=0x43,name=MEM_UOPS_RETIRED.SPLIT/", kCmtSource,
     kUntested},
    {Reason::kBranchMiss, "cpu/event=0xc5,umask=0x00,name=BR_MISP_RETIRED.ALL_BRANCHES/",
     kCmtSource, kUntested},
};

// Why these events were chosen on AMD's cores:
// - Every load or store that misses takes a miss address buffer (MAB), and prefetches take another
//   kind of it: so these count just the misses, and on every Zen.
// - Lines of instructions that are brought into the cache are counted by where they come from, the
//   second level or beyond. Since Zen 3 one event counts lookups that miss.
// - The events of the TLBs have a unit mask for each page size; all those for misses of the second
//   level too are set.
// - MISALIGNED_LOADS counts loads only, and there is no such event for stores. On Zen 1 and 2 it
//   has no unit masks, and may count misaligned loads within a line: it is left out there.
// libpfm4 takes some CPUs of Zen 1 (models 50h to 5Fh) for Zen 2: these names are the same in both.
constexpr std::string_view kZen1Source =
    "AMD PPR for family 17h, models 00h-0Fh and 31h; libpfm4 amd64_events_fam17h_zen1.h, _zen2.h";
constexpr ValidationEvent kZen1And2[] = {
    {Reason::kInstructionCount, "RETIRED_INSTRUCTIONS", kZen1Source, kUntested},
    {Reason::kDataCacheMiss, "MAB_ALLOCATION_BY_PIPE:DATA_PIPE:ST_PIPE", kZen1Source, kUntested},
    {Reason::kInstructionCacheMiss, "INSTRUCTION_CACHE_REFILLS_FROM_L2", kZen1Source, kUntested},
    {Reason::kInstructionCacheMiss, "INSTRUCTION_CACHE_REFILLS_FROM_SYSTEM", kZen1Source,
     kUntested},
    {Reason::kDataTlbMiss,
     "L1_DTLB_MISS:TLB_RELOAD_4K_L2_MISS:TLB_RELOAD_COALESCED_PAGE_MISS:TLB_RELOAD_2M_L2_MISS:"
     "TLB_RELOAD_1G_L2_MISS",
     kZen1Source, kUntested},
    {Reason::kInstructionTlbMiss, "L1_ITLB_MISS_L2_ITLB_MISS:IF4K:IF2M:IF1G", kZen1Source,
     kUntested},
    {Reason::kBranchMiss, "RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED", kZen1Source, kUntested},
};

constexpr std::string_view kZen3Source =
    "AMD PPR for family 19h, model 01h; libpfm4 amd64_events_fam19h_zen3.h";
constexpr ValidationEvent kZen3[] = {
    {Reason::kInstructionCount, "RETIRED_INSTRUCTIONS", kZen3Source, kUntested},
    {Reason::kDataCacheMiss, "MAB_ALLOCATION_BY_TYPE:LS", kZen3Source, kUntested},
    {Reason::kInstructionCacheMiss, "IC_TAG_HIT_MISS:IC_MISS", kZen3Source, kUntested},
    {Reason::kDataTlbMiss,
     "L1_DTLB_MISS:TLB_RELOAD_4K_L2_MISS:TLB_RELOAD_COALESCED_PAGE_MISS:TLB_RELOAD_2M_L2_MISS:"
     "TLB_RELOAD_1G_L2_MISS",
     kZen3Source, kUntested},
    {Reason::kInstructionTlbMiss, "L1_ITLB_MISS_L2_ITLB_MISS:IF4K:IF2M:IF1G:COALESCED4K",
     kZen3Source, kUntested},
    {Reason::kSplitAccess, "MISALIGNED_LOADS:MA64:MA4K", kZen3Source, kUntested},
    {Reason::kBranchMiss, "RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED", kZen3Source, kUntested},
};

// libpfm4 4.13 knows one model of Zen 4, 11h, and no Zen 5, so that codes are used, with AMD's own
// names. They are the same on both except for the unit mask of ls_mab_alloc.
constexpr std::string_view kZen4Source =
    "AMD PPR for family 19h, models 11h and 61h; Linux pmu-events amdzen4";
constexpr ValidationEvent kZen4[] = {
    {Reason::kInstructionCount, "cpu/event=0xc0,name=ex_ret_instr/", kZen4Source, kUntested},
    {Reason::kDataCacheMiss, "cpu/event=0x41,umask=0x3f,name=ls_mab_alloc.load_store_allocations/",
     kZen4Source, kUntested},
    {Reason::kInstructionCacheMiss,
     "cpu/event=0x18e,umask=0x18,name=ic_tag_hit_miss.instruction_cache_miss/", kZen4Source,
     kUntested},
    {Reason::kDataTlbMiss, "cpu/event=0x45,umask=0xf0,name=ls_l1_d_tlb_miss.all_l2_miss/",
     kZen4Source, kUntested},
    {Reason::kInstructionTlbMiss, "cpu/event=0x85,umask=0x0f,name=bp_l1_tlb_miss_l2_tlb_miss.all/",
     kZen4Source, kUntested},
    {Reason::kSplitAccess, "cpu/event=0x47,umask=0x03,name=ls_misal_loads/", kZen4Source,
     kUntested},
    {Reason::kBranchMiss, "cpu/event=0xc3,name=ex_ret_brn_misp/", kZen4Source, kUntested},
};

constexpr std::string_view kZen5Source =
    "AMD PPR for family 1Ah, model 02h; Linux pmu-events amdzen5";
constexpr ValidationEvent kZen5[] = {
    {Reason::kInstructionCount, "cpu/event=0xc0,name=ex_ret_instr/", kZen5Source, kUntested},
    {Reason::kDataCacheMiss, "cpu/event=0x41,umask=0x07,name=ls_mab_alloc.load_store_allocations/",
     kZen5Source, kUntested},
    {Reason::kInstructionCacheMiss,
     "cpu/event=0x18e,umask=0x18,name=ic_tag_hit_miss.instruction_cache_miss/", kZen5Source,
     kUntested},
    {Reason::kDataTlbMiss, "cpu/event=0x45,umask=0xf0,name=ls_l1_d_tlb_miss.all_l2_miss/",
     kZen5Source, kUntested},
    {Reason::kInstructionTlbMiss, "cpu/event=0x85,umask=0x0f,name=bp_l1_tlb_miss_l2_tlb_miss.all/",
     kZen5Source, kUntested},
    {Reason::kSplitAccess, "cpu/event=0x47,umask=0x03,name=ls_misal_loads/", kZen5Source,
     kUntested},
    {Reason::kBranchMiss, "cpu/event=0xc3,name=ex_ret_brn_misp/", kZen5Source, kUntested},
};

struct Row {
  std::string_view microarchitecture;
  std::span<const ValidationEvent> events;
};

// A CPU of a hybrid generation that has only P-cores is named without "-p".
constexpr Row kTable[] = {
    {"sandybridge", kSandyBridgeToHaswell},
    {"ivybridge", kSandyBridgeToHaswell},
    {"haswell", kSandyBridgeToHaswell},
    {"broadwell", kBroadwell},
    {"skylake", kSkylake},
    {"skylake-x", kSkylake},
    {"cascadelake", kSkylake},
    {"cooperlake", kSkylake},
    {"kabylake", kSkylake},
    {"coffeelake", kSkylake},
    {"whiskeylake", kSkylake},
    {"cometlake", kSkylake},
    {"cannonlake", kArchitectural},
    {"icelake", kIceLake},
    {"rocketlake", kIceLake},
    {"tigerlake", kIceLake},
    {"sapphirerapids", kSapphireRapids},
    {"emeraldrapids", kGoldenCove},
    {"graniterapids", kRedwoodCove},
    {"alderlake", kGoldenCove},
    {"alderlake-p", kGoldenCove},
    {"alderlake-e", kGracemont},
    {"raptorlake", kGoldenCove},
    {"raptorlake-p", kGoldenCove},
    {"raptorlake-e", kGracemont},
    {"meteorlake-p", kRedwoodCove},
    {"meteorlake-e", kCrestmont},
    {"arrowlake-p", kRedwoodCove},
    {"arrowlake-e", kCrestmont},
    {"lunarlake-p", kRedwoodCove},
    {"lunarlake-e", kCrestmont},
    {"zen1", kZen1And2},
    {"zen+", kZen1And2},
    {"zen2", kZen1And2},
    {"zen3", kZen3},
    {"zen4", kZen4},
    {"zen5", kZen5},
};

const Row* row_of(std::string_view microarchitecture) {
  const auto found = std::ranges::find(kTable, microarchitecture, &Row::microarchitecture);
  return found == std::end(kTable) ? nullptr : &*found;
}

}  // namespace

std::span<const ValidationEvent> validation_events(std::string_view microarchitecture) {
  const Row* const row = row_of(microarchitecture);
  return row == nullptr ? std::span<const ValidationEvent>() : row->events;
}

}  // namespace assay

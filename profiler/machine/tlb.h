#pragma once

#include <cstdint>
#include <functional>

#include "profiler/machine/cpuid.h"

namespace assay {

/// Executes CPUID with EAX = leaf and ECX = subleaf; tests use made-up answers instead.
using SubleafCpuid = std::function<CpuidAnswer(std::uint32_t leaf, std::uint32_t subleaf)>;

/// The processor's answer; all zeros for a leaf beyond the highest that it has.
CpuidAnswer hardware_cpuid_subleaf(std::uint32_t leaf, std::uint32_t subleaf);

/// The number of entries that is assumed if CPUID does not tell: that of most cores since Intel
/// Nehalem and AMD Zen (Fog, "Microarchitecture"; AMD's Zen 4 has 72, Intel's Golden Cove 96 for
/// loads).
inline constexpr int kUsualDataTlbEntries = 64;

/// How many 4-KiB pages the first-level data TLB holds; if loads and stores have one each, that of
/// the loads. Sources: for Intel leaf 0x18, else the descriptors of leaf 2; for AMD leaf 0x80000005
/// (Intel SDM volume 2, CPUID; AMD APM volume 3, E.4.4). kUsualDataTlbEntries if none of them
/// tells, which hypervisors may cause.
int data_tlb_entries(const SubleafCpuid& cpuid);

/// How many 4-KiB pages the first-level data TLB holds for stores: on Intel by leaf 0x18, and where
/// that does not tell as few as cores since Ice Lake have, 16 (Intel, "64 and IA-32 Architectures
/// Optimization Reference Manual", 2.7 and 2.6: Sunny Cove and Golden Cove; tested on Granite
/// Rapids: stores to the 15th page take longer); on AMD, whose TLB is shared, as
/// data_tlb_entries().
int stored_tlb_entries(const SubleafCpuid& cpuid);

/// The numbers for the core that the calling thread runs on.
int data_tlb_entries();
int stored_tlb_entries();

}  // namespace assay

#pragma once

#include <cstdint>
#include <functional>

#include "profiler/machine/cpuid.h"

namespace assay {

/// CPUID with EAX = leaf and ECX = subleaf.
using SubleafCpuid = std::function<CpuidAnswer(std::uint32_t leaf, std::uint32_t subleaf)>;

/// The processor's answer; all zeros for a leaf beyond the highest that it has.
CpuidAnswer hardware_cpuid_subleaf(std::uint32_t leaf, std::uint32_t subleaf);

/// What is taken where CPUID does not tell: the size of most cores' since Intel Nehalem and AMD
/// Zen (Fog, "Microarchitecture"; AMD's Zen 4 has 72, Intel's Golden Cove 96 for loads).
inline constexpr int kUsualDataTlbEntries = 64;

/// How many 4-KiB pages the first-level data TLB holds; of one for loads and one for stores, the
/// former. Intel: leaf 0x18, else the descriptors of leaf 2; AMD: leaf 0x80000005 (Intel SDM volume
/// 2, CPUID; AMD APM volume 3, E.4.4). kUsualDataTlbEntries where none of them has it, as
/// hypervisors may see to.
int data_tlb_entries(const SubleafCpuid& cpuid);

/// Of the core that it is called on.
int data_tlb_entries();

}  // namespace assay

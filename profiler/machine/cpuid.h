#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "profiler/machine/identity.h"

namespace assay {

/// One answer of the CPUID instruction.
struct CpuidAnswer {
  std::uint32_t eax = 0;
  std::uint32_t ebx = 0;
  std::uint32_t ecx = 0;
  std::uint32_t edx = 0;
};

/// CPUID with EAX = leaf and ECX = 0: the processor's, or a made-up one in a test.
using Cpuid = std::function<CpuidAnswer(std::uint32_t leaf)>;

/// The processor's answer; all zeros for a leaf beyond the highest that it has (Intel's answers
/// such a leaf with the data of another).
CpuidAnswer hardware_cpuid(std::uint32_t leaf);

/// Which register files the system saves for its programs, by XGETBV; 0 where it uses no XSAVE.
std::uint64_t hardware_xcr0();

/// What the answers say about the CPU. Family, model and stepping are computed as the vendors'
/// manuals have it (AMD APM volume 3, E.3.2; Intel SDM volume 2, CPUID, "Version Information").
Machine machine_from(const Cpuid& cpuid);

/// The hypervisor's signature ("KVMKVMKVM"); "none" where CPUID says that there is none, "unknown"
/// where there is one that does not name itself.
std::string hypervisor_from(const Cpuid& cpuid);

}  // namespace assay

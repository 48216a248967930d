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

inline constexpr std::uint32_t kVendorLeaf = 0;
inline constexpr std::uint32_t kFeatureLeaf = 7;

/// `count` bits of a register of an answer, from bit `low` on, as a number; fewer than 32.
inline constexpr std::uint32_t bits(std::uint32_t value, int low, int count) {
  return (value >> low) & ((1U << count) - 1);
}

/// Executes CPUID with EAX = leaf and ECX = 0; tests use made-up answers instead.
using Cpuid = std::function<CpuidAnswer(std::uint32_t leaf)>;

/// The processor's answer; all zeros for a leaf beyond the highest that it has (Intel's processors
/// answer such a leaf with the data of another).
CpuidAnswer hardware_cpuid(std::uint32_t leaf);

/// Which register files the system saves for its programs, by XGETBV; 0 if it does not use XSAVE.
std::uint64_t hardware_xcr0();

/// What the answers say about the CPU. Family, model and stepping are computed as the vendors'
/// manuals say (AMD APM volume 3, E.3.2; Intel SDM volume 2, CPUID, "Version Information").
/// The microarchitecture is "unknown" if the features are not those of the model.
Machine machine_from(const Cpuid& cpuid);

/// Why the machine's model cannot be that of its core: "its model is rocketlake's, which has no
/// SERIALIZE"; empty if nothing speaks against it. Some hypervisors give their guests another model
/// than the host's.
std::string model_contradiction(const Machine& machine, const Cpuid& cpuid);

/// The hypervisor's signature ("KVMKVMKVM"); "none" if CPUID says that there is none, "unknown" if
/// there is one that does not name itself.
std::string hypervisor_from(const Cpuid& cpuid);

}  // namespace assay

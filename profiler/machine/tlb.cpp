#include "profiler/machine/tlb.h"

#include <cpuid.h>

#include <algorithm>

#include "profiler/machine/cpuid.h"

namespace assay {
namespace {

constexpr std::uint32_t kDescriptorLeaf = 2;
constexpr std::uint32_t kTranslationLeaf = 0x18;
constexpr std::uint32_t kAmdFirstLevelLeaf = 0x80000005;
constexpr std::uint32_t kExtendedRange = 0x80000000;

bool is_intel(const SubleafCpuid& cpuid) {
  constexpr std::uint32_t kGenu = 0x756e6547;  // "Genu", of GenuineIntel
  return cpuid(kVendorLeaf, 0).ebx == kGenu;
}

/// Types of TLBs in leaf 0x18.
constexpr std::uint32_t kData = 1;
constexpr std::uint32_t kUnified = 3;
constexpr std::uint32_t kLoadOnly = 4;
constexpr std::uint32_t kStoreOnly = 5;

/// The number of entries by leaf 0x18; 0 if none of its subleaves describes a first-level data TLB
/// that is shared, or of the one type (kLoadOnly or kStoreOnly).
int from_translation_leaf(const SubleafCpuid& cpuid, std::uint32_t only) {
  // A guard against a hypervisor that claims billions of subleaves; processors have some ten.
  constexpr std::uint32_t kMostSubleaves = 64;
  const std::uint32_t last = std::min(cpuid(kTranslationLeaf, 0).eax, kMostSubleaves);
  for (std::uint32_t subleaf = 0; subleaf <= last; ++subleaf) {
    const CpuidAnswer answer = cpuid(kTranslationLeaf, subleaf);
    const std::uint32_t kind = bits(answer.edx, 0, 5);
    const bool fits = kind == kData || kind == kUnified || kind == only;
    const bool first_level = bits(answer.edx, 5, 3) == 1;
    const bool small_pages = bits(answer.ebx, 0, 1) != 0;
    if (!fits || !first_level || !small_pages) continue;
    return static_cast<int>(bits(answer.ebx, 16, 16) * answer.ecx);  // ways * sets
  }
  return 0;
}

/// The number of entries if the descriptor is of a first-level data TLB for 4-KiB pages; else 0.
int entries_of_descriptor(std::uint32_t descriptor) {
  switch (descriptor) {
    case 0xc0:
      return 8;
    case 0x57:
    case 0x59:
      return 16;
    case 0xa0:
      return 32;
    case 0x03:
    case 0x5b:
    case 0xba:
      return 64;
    case 0x5c:
    case 0xb3:
      return 128;
    case 0x5d:
    case 0xb4:
      return 256;
    default:
      return 0;
  }
}

int from_descriptors(const SubleafCpuid& cpuid) {
  const CpuidAnswer answer = cpuid(kDescriptorLeaf, 0);
  for (const std::uint32_t value : {answer.eax, answer.ebx, answer.ecx, answer.edx}) {
    if (bits(value, 31, 1) != 0) continue;  // the register holds no descriptors
    // The low byte of EAX is no descriptor, but it is always 1, which is not one of these.
    for (int byte = 0; byte < 4; ++byte) {
      if (const int entries = entries_of_descriptor(bits(value, 8 * byte, 8))) return entries;
    }
  }
  return 0;
}

int from_amd_leaf(const SubleafCpuid& cpuid) {
  return static_cast<int>(bits(cpuid(kAmdFirstLevelLeaf, 0).ebx, 16, 8));
}

}  // namespace

CpuidAnswer hardware_cpuid_subleaf(std::uint32_t leaf, std::uint32_t subleaf) {
  CpuidAnswer answer;
  if (static_cast<std::uint32_t>(__get_cpuid_max(leaf & kExtendedRange, nullptr)) < leaf) {
    return answer;
  }
  __cpuid_count(leaf, subleaf, answer.eax, answer.ebx, answer.ecx, answer.edx);
  return answer;
}

int data_tlb_entries(const SubleafCpuid& cpuid) {
  int entries = 0;
  if (is_intel(cpuid)) {
    entries = from_translation_leaf(cpuid, kLoadOnly);
    if (entries == 0) entries = from_descriptors(cpuid);
  } else {
    entries = from_amd_leaf(cpuid);
  }
  return entries > 0 ? entries : kUsualDataTlbEntries;
}

int stored_tlb_entries(const SubleafCpuid& cpuid) {
  constexpr int kUsualOfIntel = 16;
  if (!is_intel(cpuid)) return data_tlb_entries(cpuid);
  const int entries = from_translation_leaf(cpuid, kStoreOnly);
  return entries > 0 ? entries : kUsualOfIntel;
}

int data_tlb_entries() { return data_tlb_entries(hardware_cpuid_subleaf); }
int stored_tlb_entries() { return stored_tlb_entries(hardware_cpuid_subleaf); }

}  // namespace assay

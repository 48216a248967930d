#include "profiler/machine/cpuid.h"

#include <cpuid.h>
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "profiler/machine/microarchitecture.h"

namespace assay {
namespace {

constexpr std::uint32_t kVersionLeaf = 1;
constexpr std::uint32_t kHybridLeaf = 0x1A;
constexpr std::uint32_t kHypervisorLeaf = 0x40000000;
constexpr std::uint32_t kFirstExtendedLeaf = 0x80000000;
constexpr std::uint32_t kBrandLeaves[] = {0x80000002, 0x80000003, 0x80000004};

/// The characters in registers, four in each, lowest byte first: all names that CPUID gives are
/// stored so.
std::string characters(std::initializer_list<std::uint32_t> registers) {
  std::string text;
  for (const std::uint32_t value : registers) {
    for (int byte = 0; byte < 4; ++byte) text += static_cast<char>(bits(value, 8 * byte, 8));
  }
  return text;
}

/// The text up to its first NUL, without blanks at either end.
std::string trimmed(std::string text) {
  text.resize(std::min(text.find('\0'), text.size()));
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::string brand_from(const Cpuid& cpuid) {
  std::string brand;
  for (const std::uint32_t leaf : kBrandLeaves) {
    const CpuidAnswer part = cpuid(leaf);
    brand += characters({part.eax, part.ebx, part.ecx, part.edx});
  }
  return trimmed(brand);
}

std::uint32_t display_family(std::uint32_t version) {
  const std::uint32_t base = bits(version, 8, 4);
  return base == 0xF ? base + bits(version, 20, 8) : base;
}

/// The model including the extended model, which counts if the base family is 0xF, and also in
/// Intel's family 6. For other families AMD reserves that field, and none of AMD's families below
/// 0xF runs 64-bit code.
std::uint32_t display_model(std::uint32_t version) {
  const std::uint32_t base_family = bits(version, 8, 4);
  const bool extended = base_family == 0xF || base_family == 6;
  return bits(version, 4, 4) + (extended ? bits(version, 16, 4) << 4 : 0);
}

/// "-p" or "-e" on a CPU with two kinds of core, which have the same family and model but not the
/// same timing: a result for one kind says nothing about the other (Intel SDM volume 2, CPUID
/// leaves 7, 1AH).
std::string core_kind_suffix(const Cpuid& cpuid) {
  const bool hybrid = bits(cpuid(kFeatureLeaf).edx, 15, 1) != 0;
  if (!hybrid) return "";
  switch (bits(cpuid(kHybridLeaf).eax, 24, 8)) {
    case 0x20:
      return "-e";
    case 0x40:
      return "-p";
    default:
      return "";
  }
}

/// The highest leaf of the range, basic or extended, that `leaf` belongs to.
std::uint32_t highest_leaf(std::uint32_t leaf) {
  return static_cast<std::uint32_t>(__get_cpuid_max(leaf & kFirstExtendedLeaf, nullptr));
}

}  // namespace

CpuidAnswer hardware_cpuid(std::uint32_t leaf) {
  CpuidAnswer answer;
  const bool hypervisor = leaf >= kHypervisorLeaf && leaf < kFirstExtendedLeaf;
  // The hypervisor's range has no agreed maximum; only its first leaf is ever asked for, by
  // hypervisor_from().
  if (!hypervisor && highest_leaf(leaf) < leaf) return answer;
  __cpuid_count(leaf, 0, answer.eax, answer.ebx, answer.ecx, answer.edx);
  return answer;
}

std::uint64_t hardware_xcr0() {
  if ((hardware_cpuid(kVersionLeaf).ecx & bit_OSXSAVE) == 0) return 0;
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return static_cast<std::uint64_t>(high) << 32 | low;
}

Machine machine_from(const Cpuid& cpuid) {
  const CpuidAnswer vendor = cpuid(kVendorLeaf);
  const std::uint32_t version = cpuid(kVersionLeaf).eax;
  Machine machine;
  machine.vendor = trimmed(characters({vendor.ebx, vendor.edx, vendor.ecx}));
  machine.brand = brand_from(cpuid);
  machine.family = display_family(version);
  machine.model = display_model(version);
  machine.stepping = bits(version, 0, 4);
  const Microarchitecture& known = microarchitecture_of(machine);
  machine.microarchitecture = feature_beyond(known, cpuid(kFeatureLeaf)).empty()
                                  ? std::string(known.name) + core_kind_suffix(cpuid)
                                  : "unknown";
  return machine;
}

std::string model_contradiction(const Machine& machine, const Cpuid& cpuid) {
  const Microarchitecture& known = microarchitecture_of(machine);
  const std::string_view feature = feature_beyond(known, cpuid(kFeatureLeaf));
  if (feature.empty()) return "";
  return fmt::format("its model is {}'s, which has no {}", known.name, feature);
}

std::string hypervisor_from(const Cpuid& cpuid) {
  const bool present = bits(cpuid(kVersionLeaf).ecx, 31, 1) != 0;
  if (!present) return "none";
  const CpuidAnswer leaf = cpuid(kHypervisorLeaf);
  const std::string signature = trimmed(characters({leaf.ebx, leaf.ecx, leaf.edx}));
  return signature.empty() ? "unknown" : signature;
}

}  // namespace assay

#include "profiler/machine/microarchitecture.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "profiler/machine/cpuid.h"

namespace assay {
namespace {

constexpr std::string_view kAmd = kAmdVendor;
constexpr std::string_view kIntel = kIntelVendor;
constexpr bool kTested = true;
constexpr bool kUntested = false;

constexpr Microarchitecture kUnknown = {"", "unknown", 0, 0, 0, kUntested};

constexpr Microarchitecture kMicroarchitectures[] = {
    // AMD: the ranges for which Linux sets X86_FEATURE_ZEN1 to ZEN5 (arch/x86/kernel/cpu/amd.c,
    // bsp_init_amd, 6.11). Zen+ is part of Linux's Zen 1 range: Pinnacle Ridge and Colfax (model
    // 08h), Picasso (18h), as in AMD's revision guide for family 17h.
    {kAmd, "zen+", 0x17, 0x08, 0x08, kUntested},
    {kAmd, "zen+", 0x17, 0x18, 0x18, kUntested},
    {kAmd, "zen1", 0x17, 0x00, 0x2F, kUntested},
    {kAmd, "zen1", 0x17, 0x50, 0x5F, kUntested},
    {kAmd, "zen2", 0x17, 0x30, 0x4F, kUntested},
    {kAmd, "zen2", 0x17, 0x60, 0x7F, kUntested},
    {kAmd, "zen2", 0x17, 0x90, 0x91, kUntested},
    {kAmd, "zen2", 0x17, 0xA0, 0xAF, kUntested},
    {kAmd, "zen3", 0x19, 0x00, 0x0F, kUntested},
    {kAmd, "zen3", 0x19, 0x20, 0x5F, kUntested},
    // The one tested model is a row of its own, in front of the range that contains it.
    {kAmd, "zen4", 0x19, 0x11, 0x11, kTested},
    {kAmd, "zen4", 0x19, 0x10, 0x1F, kUntested},
    {kAmd, "zen4", 0x19, 0x60, 0xAF, kUntested},
    {kAmd, "zen5", 0x1A, 0x00, 0x2F, kUntested},
    {kAmd, "zen5", 0x1A, 0x40, 0x4F, kUntested},
    {kAmd, "zen5", 0x1A, 0x60, 0x7F, kUntested},

    // Intel: Linux's list of models and their cores (arch/x86/include/asm/intel-family.h, 6.15),
    // which also has the steppings of model 55h.
    {kIntel, "sandybridge", 6, 0x2A, 0x2A, kUntested},
    {kIntel, "sandybridge", 6, 0x2D, 0x2D, kUntested},
    {kIntel, "ivybridge", 6, 0x3A, 0x3A, kUntested},
    {kIntel, "ivybridge", 6, 0x3E, 0x3E, kUntested},
    {kIntel, "haswell", 6, 0x3C, 0x3C, kUntested},
    {kIntel, "haswell", 6, 0x3F, 0x3F, kUntested},
    {kIntel, "haswell", 6, 0x45, 0x46, kUntested},
    {kIntel, "broadwell", 6, 0x3D, 0x3D, kUntested},
    {kIntel, "broadwell", 6, 0x47, 0x47, kUntested},
    {kIntel, "broadwell", 6, 0x4F, 0x4F, kUntested},
    {kIntel, "broadwell", 6, 0x56, 0x56, kUntested},
    {kIntel, "skylake", 6, 0x4E, 0x4E, kUntested},
    {kIntel, "skylake", 6, 0x5E, 0x5E, kUntested},
    {kIntel, "skylake-x", 6, 0x55, 0x55, kUntested, 0, 4},
    {kIntel, "cascadelake", 6, 0x55, 0x55, kUntested, 5, 7},
    {kIntel, "cooperlake", 6, 0x55, 0x55, kUntested, 10, 11},
    {kIntel, "kabylake", 6, 0x8E, 0x8E, kUntested, 0, 9},
    {kIntel, "coffeelake", 6, 0x8E, 0x8E, kUntested, 10, 10},
    {kIntel, "whiskeylake", 6, 0x8E, 0x8E, kUntested, 11, 12},
    {kIntel, "kabylake", 6, 0x9E, 0x9E, kUntested, 0, 9},
    {kIntel, "coffeelake", 6, 0x9E, 0x9E, kUntested, 10, 13},
    {kIntel, "cometlake", 6, 0xA5, 0xA6, kUntested},
    {kIntel, "cannonlake", 6, 0x66, 0x66, kUntested},
    {kIntel, "icelake", 6, 0x6A, 0x6A, kUntested},
    {kIntel, "icelake", 6, 0x6C, 0x6C, kUntested},
    {kIntel, "icelake", 6, 0x7D, 0x7E, kUntested},
    {kIntel, "rocketlake", 6, 0xA7, 0xA7, kUntested},
    {kIntel, "tigerlake", 6, 0x8C, 0x8D, kUntested},
    {kIntel, "sapphirerapids", 6, 0x8F, 0x8F, kUntested},
    {kIntel, "emeraldrapids", 6, 0xCF, 0xCF, kUntested},
    {kIntel, "graniterapids", 6, 0xAD, 0xAE, kUntested},
    {kIntel, "alderlake", 6, 0x97, 0x97, kUntested},
    {kIntel, "alderlake", 6, 0x9A, 0x9A, kUntested},
    {kIntel, "raptorlake", 6, 0xB7, 0xB7, kUntested},
    {kIntel, "raptorlake", 6, 0xBA, 0xBA, kUntested},
    {kIntel, "raptorlake", 6, 0xBF, 0xBF, kUntested},
    {kIntel, "meteorlake", 6, 0xAA, 0xAA, kUntested},
    {kIntel, "meteorlake", 6, 0xAC, 0xAC, kUntested},
    {kIntel, "arrowlake", 6, 0xB5, 0xB5, kUntested},
    {kIntel, "arrowlake", 6, 0xC5, 0xC6, kUntested},
    {kIntel, "lunarlake", 6, 0xBD, 0xBD, kUntested},
};

/// A bit of CPUID's leaf 7, subleaf 0 (Intel SDM volume 2, AMD APM volume 3, E.3.6).
struct FeatureBit {
  std::string_view name;
  std::uint32_t CpuidAnswer::*word = nullptr;
  int bit = 0;
};

/// Cores of one vendor that are told from all older ones by a feature that these have not.
struct Generation {
  std::string_view vendor;
  FeatureBit feature;
  std::vector<std::string_view> names;
};

/// From the oldest to the newest of each vendor. Sources: the features of each -march in GCC 14's
/// manual, "x86 Options".
const Generation kGenerations[] = {
    {kAmd, {}, {"zen1", "zen+"}},
    {kAmd, {"CLWB", &CpuidAnswer::ebx, 24}, {"zen2"}},
    {kAmd, {"VAES", &CpuidAnswer::ecx, 9}, {"zen3"}},
    {kAmd, {"AVX512F", &CpuidAnswer::ebx, 16}, {"zen4"}},
    {kAmd, {"MOVDIRI", &CpuidAnswer::ecx, 27}, {"zen5"}},

    {kIntel, {}, {"sandybridge", "ivybridge"}},
    {kIntel, {"AVX2", &CpuidAnswer::ebx, 5}, {"haswell", "broadwell"}},
    {kIntel,
     {"CLFLUSHOPT", &CpuidAnswer::ebx, 23},
     {"skylake", "skylake-x", "cascadelake", "cooperlake", "kabylake", "coffeelake", "whiskeylake",
      "cometlake"}},
    {kIntel, {"SHA", &CpuidAnswer::ebx, 29}, {"cannonlake"}},
    {kIntel, {"GFNI", &CpuidAnswer::ecx, 8}, {"icelake", "rocketlake"}},
    {kIntel, {"MOVDIRI", &CpuidAnswer::ecx, 27}, {"tigerlake"}},
    {kIntel,
     {"SERIALIZE", &CpuidAnswer::edx, 14},
     {"alderlake", "raptorlake", "meteorlake", "arrowlake", "lunarlake"}},
    {kIntel,
     {"AMX-TILE", &CpuidAnswer::edx, 24},
     {"sapphirerapids", "emeraldrapids", "graniterapids"}},
};

bool fits(const Microarchitecture& row, const Machine& machine) {
  return row.vendor == machine.vendor && row.family == machine.family &&
         row.first_model <= machine.model && machine.model <= row.last_model &&
         row.first_stepping <= machine.stepping && machine.stepping <= row.last_stepping;
}

/// The newest generation whose feature is there; null if the vendor is not in the table.
const Generation* newest_generation(std::string_view vendor, const CpuidAnswer& features) {
  const Generation* newest = nullptr;
  for (const Generation& generation : kGenerations) {
    const FeatureBit& feature = generation.feature;
    if (generation.vendor != vendor) continue;
    if (feature.word == nullptr || bits(features.*feature.word, feature.bit, 1))
      newest = &generation;
  }
  return newest;
}

}  // namespace

std::span<const Microarchitecture> all_microarchitectures() { return kMicroarchitectures; }

const Microarchitecture& microarchitecture_of(const Machine& machine) {
  const auto found = std::ranges::find_if(
      kMicroarchitectures, [&machine](const Microarchitecture& row) { return fits(row, machine); });
  return found == std::end(kMicroarchitectures) ? kUnknown : *found;
}

std::string_view feature_beyond(const Microarchitecture& row, const CpuidAnswer& features) {
  const Generation* const newest = newest_generation(row.vendor, features);
  if (newest == nullptr) return "";
  const auto own = std::ranges::find_if(kGenerations, [&row](const Generation& generation) {
    return generation.vendor == row.vendor && std::ranges::count(generation.names, row.name) > 0;
  });
  return own < newest ? newest->feature.name : std::string_view();
}

std::span<const std::string_view> generation_of(std::string_view vendor,
                                                const CpuidAnswer& features) {
  const Generation* const newest = newest_generation(vendor, features);
  if (newest == nullptr) return {};
  return newest->names;
}

}  // namespace assay

#include "profiler/machine/features.h"

#include <cpuid.h>

#include <cstdint>

#include "profiler/machine/cpuid.h"
#include "profiler/machine/identity.h"

namespace assay {
namespace {

Features detect() {
  Features found;
  const Machine machine = identify_machine();
  if (machine.vendor == kIntelVendor) asm("mov %%cs, %0" : "=r"(found.code_segment));
  const bool is_zen4 = machine.microarchitecture == "zen4";
  const bool is_zen5 = machine.microarchitecture == "zen5";
  found.returns_drain = found.wide_take_two = is_zen5;
  found.pages_are_alike = machine.vendor == kIntelVendor || is_zen4 || is_zen5;
  if (is_zen4 || is_zen5) {
    found.fed_instructions = 2'700;
    found.fed_bytes = std::int64_t{12} * 1024;
    if (is_zen5) found.fed_branches = 300;
  }
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return found;
  constexpr std::uint64_t kAvxState = 0x06;     // SSE and AVX
  constexpr std::uint64_t kAvx512State = 0xe6;  // SSE, AVX, masks, both parts of ZMM
  const std::uint64_t enabled = hardware_xcr0();
  found.avx = (c & bit_AVX) && (enabled & kAvxState) == kAvxState;
  constexpr unsigned kAvx512 = bit_AVX512F | bit_AVX512VL | bit_AVX512BW | bit_AVX512DQ;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
    found.avx512 = (b & kAvx512) == kAvx512 && (enabled & kAvx512State) == kAvx512State;
  }
  return found;
}

Features& known() {
  static Features features = detect();
  return features;
}

}  // namespace

const Features& features() { return known(); }

void assume_features(const Features& assumed) { known() = assumed; }

}  // namespace assay

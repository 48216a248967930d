#pragma once

#include "profiler/machine/instruction_support.h"

namespace assay {

/// The instruction support of a machine that has every feature, or none.
inline InstructionSupport some_support(bool everything) {
  const std::uint32_t bits = everything ? ~std::uint32_t{0} : 0;
  SupportFacts facts;
  facts.cpuid = [bits](std::uint32_t, std::uint32_t) {
    return CpuidAnswer{bits, bits, bits, bits};
  };
  facts.xcr0 = everything ? ~std::uint64_t{0} : 0;
  return InstructionSupport(facts);
}

}  // namespace assay

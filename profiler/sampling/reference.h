#pragma once

#include <cstdint>

#include "profiler/block/block.h"
#include "profiler/support/units.h"

namespace assay {

/// The reference chain: `add eax, ebx` after `add eax, ebx`, each of which waits for the one
/// before. One core cycle each on every x86-64 processor since the Pentium 4 (Fog, "Instruction
/// tables"; uops.info): two registers, because newer cores fold small immediates away. Its time in
/// ticks of the time-stamp counter gives the ratio of core cycles to ticks at this very moment.
Block reference_chain();

/// Copies of it in the smaller and in the larger kernel; the difference is known in core cycles.
/// Large against the few cycles by which a kernel's start differs from process to process, as the
/// ratio's error is in every value. Both begin at the start of a 64-byte line.
inline constexpr std::int64_t kReferenceSmallCopies = 256;
inline constexpr std::int64_t kReferenceLargeCopies = 256 + 2048;
inline constexpr Cycles kReferenceCycles{kReferenceLargeCopies - kReferenceSmallCopies};

}  // namespace assay

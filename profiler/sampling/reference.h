#pragma once

#include "profiler/block/block.h"
#include "profiler/support/units.h"

namespace assay {

/// The reference chain: copies of `add eax, ebx`, each of which waits for the one before. Each
/// takes one core cycle on every x86-64 processor since the Pentium 4 (Fog, "Instruction tables";
/// uops.info). It adds two registers because newer cores fold small immediates away. Its time in
/// ticks of the time-stamp counter gives the ratio of core cycles to ticks at that very moment.
Block reference_chain();

/// The number of copies in its smaller and in its larger kernel, whose difference is known in core
/// cycles. The difference is large against the few cycles by which the start of a kernel differs
/// from process to process, since the ratio's error is in every value. Both kernels begin at the
/// start of a 64-byte line, and their copies fit within one page, where the workbench puts them: a
/// chain that goes on in another page takes 3.6 cycles more (Zen 5), and all values are 0.2 % too
/// low where only the larger kernel does so.
inline constexpr Copies kReferenceSmallCopies{256};
inline constexpr Copies kReferenceLargeCopies{256 + 1536};
inline constexpr Copies kReferenceAddedCopies = kReferenceLargeCopies - kReferenceSmallCopies;
inline constexpr Cycles kReferenceCycles{kReferenceAddedCopies.real()};
/// The number of copies half-way between the two, which tells whether the code is straight
/// (running/code_pages.h).
inline constexpr Copies kReferenceMiddleCopies{256 + 768};
/// The most that the chain may bend, in either direction. A copy takes as long as any other.
inline constexpr double kMostReferenceBend = 0.0025;

}  // namespace assay

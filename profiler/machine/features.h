#pragma once

namespace assay {

/// What this CPU and its system let a process use, as far as set-up code depends on it.
struct Features {
  bool avx = false;
  bool avx512 = false;  ///< AVX-512 F, VL, BW and DQ together
};

/// Reads CPUID and XCR0 once; the same answer ever after.
const Features& features();

}  // namespace assay

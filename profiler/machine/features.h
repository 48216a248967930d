#pragma once

namespace assay {

/// The features of the CPU that the system lets a process use, as far as set-up code depends on
/// them.
struct Features {
  bool avx = false;
  bool avx512 = false;  ///< whether there are AVX-512 F, VL, BW and DQ together
};

/// The features of this machine. CPUID and XCR0 are read only once.
const Features& features();

/// Takes the machine to have these from now on, to see what is generated for such a machine. No
/// other thread may be using features().
void assume_features(const Features& assumed);

}  // namespace assay

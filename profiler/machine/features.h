#pragma once

#include <cstdint>

namespace assay {

/// The features of the CPU that the system lets a process use, as far as set-up code depends on
/// them.
struct Features {
  bool avx = false;
  bool avx512 = false;  ///< whether there are AVX-512 F, VL, BW and DQ together
  /// The selector of the segment that this code runs in, if a far JMP can lead to any 64-bit
  /// address (Intel's CPUs: AMD's take an offset of 32 bits at most); 0 if not. Intel SDM volume 2,
  /// JMP; AMD APM volume 3, "JMP (Far)".
  std::uint16_t code_segment = 0;
};

/// The features of this machine. CPUID and XCR0 are read only once.
const Features& features();

/// Takes the machine to have these from now on, to see what is generated for such a machine. No
/// other thread may be using features().
void assume_features(const Features& assumed);

}  // namespace assay

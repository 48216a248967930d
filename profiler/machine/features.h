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
  /// Whether straight-line code takes no longer where it goes on in another page: Intel's CPUs,
  /// behind a far JMP, and Zen 4. (Measured on family 25 model 17: 1,500 bytes of NOPs, of register
  /// moves, of additions or of long immediates that cross a page's end at any of six places differ
  /// by less than a cycle from those that do not. A Zen 5 takes up to 50 cycles; of other AMD cores
  /// it is not known.)
  bool pages_are_alike = false;
  /// How many instructions in a row, and how many bytes of them, the micro-op cache is sure to
  /// feed; 0 if that is not known, or does not matter since straight-line code is fed by the
  /// decoders in any case. Behind the first miss it is fed by them, which some blocks take twice
  /// the time for. (Zen 4: moves of 2 or 3 bytes and pairs with a 32-bit immediate take another
  /// time from some 3,000 instructions on; what has long immediates as well as displacements, from
  /// 12 KiB on.)
  std::int64_t fed_instructions = 0;
  std::int64_t fed_bytes = 0;
};

/// The features of this machine. CPUID and XCR0 are read only once.
const Features& features();

/// Takes the machine to have these from now on, to see what is generated for such a machine. No
/// other thread may be using features().
void assume_features(const Features& assumed);

}  // namespace assay

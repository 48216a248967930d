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
  /// Whether copies are led to by a RET that is foretold to lead elsewhere, so that the front end
  /// begins anew: on a Zen 5 the micro-op cache feeds what comes behind, from the first instruction
  /// on as it does all others. (Measured on family 26 model 2. Behind LFENCE alone, the front end
  /// is some 100 instructions ahead, which hides for up to 1,300 instructions that it is slower
  /// than what executes them: `cmp qword ptr [rax + 8], 7` 0.25 cycles, and 0.28 from there on.)
  bool returns_drain = false;
  /// Whether straight-line code takes no longer where it goes on in another page: Intel's CPUs,
  /// behind a far JMP, and Zen 4 and 5. (Measured on family 25 model 17: 1,500 bytes of NOPs, of
  /// register moves, of additions or of long immediates that cross a page's end at any of six
  /// places differ by less than a cycle from those that do not; and on family 26 model 2, nine
  /// kinds of instructions likewise. Of other AMD cores it is not known.)
  bool pages_are_alike = false;
  /// How many instructions in a row, and how many bytes of them, the micro-op cache is sure to
  /// feed; 0 if that is not known, or does not matter since straight-line code is fed by the
  /// decoders in any case. Behind the first miss it is fed by them, which some blocks take twice
  /// the time for. (Zen 4: moves of 2 or 3 bytes and pairs with a 32-bit immediate take another
  /// time from some 3,000 instructions on; what has long immediates as well as displacements, from
  /// 12 KiB on. Zen 5, 33 kinds of instructions, from four places of a page: 3,500 to 4,500, and
  /// 2,050 to 2,800 of the wide ones below, however many bytes those are.)
  std::int64_t fed_instructions = 0;
  std::int64_t fed_bytes = 0;
  /// Whether it keeps only half as many of the instructions that have a displacement and an
  /// immediate, or an immediate of 8 bytes.
  bool wide_take_two = false;
  /// How many copies in a row that end in a branch it is sure to feed evenly, however short they
  /// are; 0 if that does not matter. (Zen 5, `mov rcx, rdx; jmp` to the next copy: 0.4 to 0.8
  /// cycles up to some 850 copies, and 2.0 beyond. Of 573 blocks of gzip's that end in a branch,
  /// 531 have a number with 300 copies at most, 516 with 400, 415 with 600.)
  std::int64_t fed_branches = 0;
};

/// The features of this machine. CPUID and XCR0 are read only once.
const Features& features();

/// Takes the machine to have these from now on, to see what is generated for such a machine. No
/// other thread may be using features().
void assume_features(const Features& assumed);

}  // namespace assay

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/machine/tlb.h"

namespace assay {

/// What a CPU and its system say about themselves, as far as instructions depend on it.
struct SupportFacts {
  SubleafCpuid cpuid;
  std::uint64_t xcr0 = 0;  ///< which register files the system saves; 0 if it does not use XSAVE
  bool fsgsbase = false;   ///< whether user programs may use those instructions (CR4.FSGSBASE)
  /// Whether F3 0F BC and F3 0F BD were seen to run as tzcnt and lzcnt, whatever CPUID says: a
  /// hypervisor may hide the bits, but cannot take the instructions away.
  bool counts_trailing_zeros = false;
  bool counts_leading_zeros = false;
};

/// The facts about this machine.
SupportFacts hardware_support_facts();

/// Which instruction sets a machine can run in user mode.
class InstructionSupport {
 public:
  explicit InstructionSupport(const SupportFacts& facts);

  /// The first feature that the set needs and the machine lacks; nothing if the set can run. The
  /// feature is named as in /proc/cpuinfo if it is known there ("avx512_bf16"), followed by "by the
  /// system" if the CPU has it and the system has not switched it on. `isa_set` is a name of
  /// instruction_set_names(); any other name counts as missing, and is returned itself.
  std::optional<std::string> missing_feature(std::string_view isa_set) const;

 private:
  std::map<std::string, std::string, std::less<>> missing_;  ///< the sets that cannot run, and why
};

/// What this machine can run; it is asked only once. missing_feature() is a shorthand.
const InstructionSupport& instruction_support();
std::optional<std::string> missing_feature(std::string_view isa_set);

/// What users call the set: the first feature that it needs, such as "avx512f" for AVX512F_256, or
/// "base" for what every x86-64 CPU has always had. Empty for a name that is not in the table.
std::string_view extension_of(std::string_view isa_set);

/// All names that extension_of() can return, each once, sorted.
std::vector<std::string_view> extension_names();

}  // namespace assay

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/machine/tlb.h"

namespace assay {

/// What a CPU and its system say of themselves, as far as instructions depend on it.
struct SupportFacts {
  SubleafCpuid cpuid;
  std::uint64_t xcr0 = 0;  ///< which register files the system saves; 0 where it uses no XSAVE
  bool fsgsbase = false;   ///< the system lets user programs use the instructions (CR4.FSGSBASE)
  /// Whether F3 0F BC and F3 0F BD were seen to run as tzcnt and lzcnt, whatever CPUID says: a
  /// hypervisor may hide the bits, and cannot take the instructions away.
  bool counts_trailing_zeros = false;
  bool counts_leading_zeros = false;
};

/// Those of this machine.
SupportFacts hardware_support_facts();

/// Which instruction sets a machine can run in user mode.
class InstructionSupport {
 public:
  explicit InstructionSupport(const SupportFacts& facts);

  /// The first feature that the set needs and the machine lacks, named as /proc/cpuinfo does where
  /// it knows it ("avx512_bf16"), with "by the system" behind it where the CPU has it and the
  /// system has not switched it on; nothing if the set can run. `isa_set`: a name of
  /// instruction_set_names(); any other counts as missing, by its own name.
  std::optional<std::string> missing_feature(std::string_view isa_set) const;

 private:
  std::map<std::string, std::string, std::less<>> missing_;  ///< by set, of those that lack one
};

/// The same of this machine, which is asked once.
const InstructionSupport& instruction_support();
std::optional<std::string> missing_feature(std::string_view isa_set);

/// What users call the set: the first feature that it needs, "avx512f" for AVX512F_256, and "base"
/// for what every x86-64 CPU has had from the start. Empty for a name that is not in the table.
std::string_view extension_of(std::string_view isa_set);

/// All names that extension_of() gives, each once, sorted.
std::vector<std::string_view> extension_names();

}  // namespace assay

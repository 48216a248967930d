#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay {

// libpfm4's tables of events, for the PMUs that it calls active: the kernel's own, and those of the
// CPU that it finds by CPUID (or of the CPU that the environment variable LIBPFM_FORCE_PMU names
// when libpfm is first used). It does not matter whether the kernel has a PMU: names can be encoded
// in a VM that cannot count them. These functions may be called from any thread; only one thread at
// a time uses libpfm, which does not support more. PAPI shares libpfm and does not wait for these
// functions, which never terminate it.

/// What became of a name that was to be encoded.
enum class LibpfmOutcome {
  kEncoded,
  kNoEvent,      ///< no active PMU has an event with that name
  kUnitMask,     ///< the event needs a unit mask, and has no default
  kAttribute,    ///< a part behind the event is not one of its unit masks or modifiers
  kValue,        ///< a modifier's value is missing, malformed or too large
  kCombination,  ///< some of the unit masks exclude each other
  kRepeated,     ///< a modifier is set twice
  kOther,
};

/// An event as libpfm encodes it for the kernel.
struct LibpfmEncoding {
  LibpfmOutcome outcome = LibpfmOutcome::kOther;
  std::string words;  ///< libpfm's own message if the name was not encoded
  // The following fields are set only if it was encoded.
  std::string pmu;               ///< libpfm's name for the PMU: "skl", "perf"
  bool outside_of_core = false;  ///< whether it is an uncore PMU, which cannot count a process
  std::uint32_t type = 0;        ///< this and the rest as in perf_event_attr
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;
};

/// Encodes "EVENT:UMASK:modifier=value" or "pmu::EVENT...", to be counted in user mode only.
LibpfmEncoding libpfm_encode(const std::string& name);

/// An active PMU of a core or of the kernel.
struct LibpfmPmu {
  std::string name;     ///< such as "amd64_fam19h_zen4"
  bool of_cpu = false;  ///< whether it is a CPU's PMU and not the kernel's own
};
/// The active PMUs, except those outside the core.
std::vector<LibpfmPmu> libpfm_pmus();

/// The names of all events of a PMU, without the PMU's name in front.
std::vector<std::string> libpfm_events(const std::string& pmu);

/// What may follow an event's name.
struct LibpfmAttributes {
  std::vector<std::string> unit_masks;
  std::vector<std::string> modifiers;  ///< the hardware's modifiers: "c", "i", "e"
};
/// The attributes of the event that a name begins with; empty if there is no such event.
LibpfmAttributes libpfm_attributes(const std::string& name);

}  // namespace assay

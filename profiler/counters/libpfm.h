#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay {

// libpfm4's tables of events, for the PMUs that it calls active: those of the CPU that it finds by
// CPUID (or of the one that the environment variable LIBPFM_FORCE_PMU names when libpfm is first
// used) and the kernel's own. Whether the kernel has a PMU plays no part: names can be encoded in
// a VM that cannot count them. These functions may be called from any thread: one at a time uses
// libpfm, which is not made for more. It is shared with PAPI, which does not wait for them, and is
// never terminated here.

/// What became of a name.
enum class LibpfmOutcome {
  kEncoded,
  kNoEvent,      ///< no active PMU has an event of that name
  kUnitMask,     ///< the event needs a unit mask, and none is its default
  kAttribute,    ///< a part behind the event is none of its unit masks and modifiers
  kValue,        ///< a modifier's value is missing, malformed or too large
  kCombination,  ///< unit masks that exclude each other
  kRepeated,     ///< a modifier is set twice
  kOther,
};

/// An event as libpfm encodes it for the kernel.
struct LibpfmEncoding {
  LibpfmOutcome outcome = LibpfmOutcome::kOther;
  std::string words;  ///< libpfm's own, where it was not encoded
  // The rest only where it was.
  std::string pmu;               ///< libpfm's name for it: "skl", "perf"
  bool outside_of_core = false;  ///< of an uncore PMU, which no process can be counted with
  std::uint32_t type = 0;        ///< perf_event_attr's
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;
};

/// Encodes "EVENT:UMASK:modifier=value" or "pmu::EVENT...", to be counted in user mode only.
LibpfmEncoding libpfm_encode(const std::string& name);

/// A PMU that is active and not outside of the core.
struct LibpfmPmu {
  std::string name;     ///< "amd64_fam19h_zen4"
  bool of_cpu = false;  ///< a CPU's; the kernel's own otherwise
};
std::vector<LibpfmPmu> libpfm_pmus();

/// All events of one of them, without its name.
std::vector<std::string> libpfm_events(const std::string& pmu);

/// What may stand behind an event.
struct LibpfmAttributes {
  std::vector<std::string> unit_masks;
  std::vector<std::string> modifiers;  ///< of the hardware: "c", "i", "e"
};
/// Of the event that a name begins with; nothing in it if there is no such event.
LibpfmAttributes libpfm_attributes(const std::string& name);

}  // namespace assay

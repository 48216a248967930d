#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/counters/pmu_field.h"

namespace assay {

/// The PMU that counts a core's events, as the kernel describes it.
struct CorePmu {
  std::string name;        ///< "cpu"; on a hybrid CPU "cpu_core", "cpu_atom" or "cpu_lowpower"
  std::uint32_t type = 0;  ///< the value of perf_event_attr's field of that name
  std::vector<PmuField> fields;               ///< sorted by name
  std::map<std::string, std::string> events;  ///< from an alias to "event=0xc0,umask=0x01"

  /// Whether the CPU has cores of several kinds, each with a PMU of its own.
  bool is_hybrid() const { return name != "cpu"; }
  /// The field with that name; nullptr if there is none.
  const PmuField* field(std::string_view field_name) const;
};

/// The PMU of the core that has this processor: `cpu` or, on a hybrid CPU, the one whose `cpus`
/// lists the processor. Nothing if there is none, as in a VM without a virtual PMU. Throws
/// EnvironmentError, with the file and its content, if the kernel writes what this program does not
/// understand.
std::optional<CorePmu> find_core_pmu(
    int processor, const std::filesystem::path& root = "/sys/bus/event_source/devices");

/// What the kernel would show for any CPU of a vendor (CPUID's name), for encoding events where
/// there is no PMU. For Intel, these are the fields of IA32_PERFEVTSELx (SDM volume 3B,
/// Architectural Performance Monitoring) and of the MSRs that Linux sets by config1; for AMD (and
/// Hygon), those of PERF_CTL (APM volume 2, Performance Monitoring Counters). Any other vendor has
/// no fields.
CorePmu architectural_core_pmu(std::string_view vendor);

}  // namespace assay

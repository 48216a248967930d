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

/// What counts a core's events, as the kernel shows it.
struct CorePmu {
  std::string name;        ///< "cpu"; on a hybrid CPU "cpu_core", "cpu_atom" or "cpu_lowpower"
  std::uint32_t type = 0;  ///< perf_event_attr's
  std::vector<PmuField> fields;               ///< sorted by name
  std::map<std::string, std::string> events;  ///< aliases: name to "event=0xc0,umask=0x01"

  /// Cores of another kind have a PMU of their own.
  bool is_hybrid() const { return name != "cpu"; }
  /// Nothing if it has none of that name.
  const PmuField* field(std::string_view field_name) const;
};

/// The PMU of the core that has this processor: `cpu`, or else the one whose `cpus` lists it.
/// Nothing if there is none, as in a VM without a virtual PMU. Throws EnvironmentError, with the
/// file and what is in it, if the kernel writes what this program does not understand.
std::optional<CorePmu> find_core_pmu(
    int processor, const std::filesystem::path& root = "/sys/bus/event_source/devices");

/// What the kernel would show for any CPU of a vendor (CPUID's name): for encodings where there is
/// no PMU. Of Intel, the fields of IA32_PERFEVTSELx (SDM volume 3B, Architectural Performance
/// Monitoring) and of the MSRs that Linux sets by config1; of AMD (and Hygon), those of
/// PERF_CTL (APM volume 2, Performance Monitoring Counters). No field for any other vendor.
CorePmu architectural_core_pmu(std::string_view vendor);

}  // namespace assay

#pragma once

#include <fstream>
#include <string>

namespace assay {

/// Whether RDPMC faults in a process that has mapped no counter, so that it can be emulated. It
/// does unless the system lets all processes use RDPMC.
inline bool rdpmc_faults() {
  for (const char* pmu : {"cpu", "cpu_core", "cpu_atom"}) {
    std::ifstream file(std::string("/sys/bus/event_source/devices/") + pmu + "/rdpmc");
    int allowed = 0;
    if (file >> allowed && allowed == 2) return false;
  }
  return true;
}

}  // namespace assay

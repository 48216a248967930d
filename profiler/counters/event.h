#pragma once

#include <cstdint>
#include <string>

namespace assay {

/// An event as a user asks for it.
struct EventRequest {
  std::string
      name;  ///< what its counts are called: its specification, unless a file gives it a name
  /// What to count: a libpfm4 name ("INST_RETIRED:ANY_P", "pmu::EVENT:UMASK:modifier"), a raw code
  /// ("r01c0"), the kernel's form ("cpu/event=0xc0,umask=0x01/"), or, for the backend papi, a
  /// preset or native name of PAPI.
  std::string specification;
  bool alone = false;  ///< whether nothing but core cycles may be counted together with it
  bool operator==(const EventRequest&) const = default;
};

/// An event in the kernel's terms: the fields of perf_event_attr for perf_event_open(2).
struct Event {
  std::string name;
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;
  bool alone = false;
};

}  // namespace assay

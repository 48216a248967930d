#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "profiler/cores/core_groups.h"
#include "profiler/counters/backend.h"
#include "profiler/counters/tsc.h"
#include "profiler/machine/identity.h"

namespace assay {

/// Smallest, median and largest of some repetitions.
struct Spread {
  double least = 0;
  double median = 0;
  double most = 0;
};

/// `values`: at least one.
Spread spread_of(std::vector<double> values);

/// What measuring costs and shows on this machine; there only if blocks can be run at all.
struct RunReport {
  Spread core_cycles_per_tick;
  Spread stop_microseconds;        ///< a ptrace stop and the continuation from it
  Spread page_fault_microseconds;  ///< a missing page of a block, until it is mapped and runs on
  double disturbed = 0;            ///< share of the series beside which somebody used the core
};

/// A clock, whether it can be used, and how it is read if it can.
struct ClockReport {
  std::string name;
  Availability availability;
  std::optional<ReadMethod> method;  ///< nothing if it cannot be used or opened
};

struct DoctorReport {
  Machine machine;
  Environment environment;
  int processor = 0;
  bool assembler = false;
  std::vector<ClockReport> clocks;             ///< all that there are, the best first
  std::optional<TscProperties> tsc;            ///< nothing if there is none that counts
  std::size_t validation_events = 0;           ///< known for this microarchitecture
  std::size_t counted_validation_events = 0;   ///< by the clock that was chosen
  std::vector<std::string> distrusted_events;  ///< not used: blocks without misses cause them
  std::size_t tested_validation_events = 0;    ///< those of them that were seen to count right
  std::optional<RunReport> run;
  std::string run_problem;          ///< why there is no `run`
  bool page_zero = false;           ///< whether blocks may use the lowest addresses
  std::optional<CoreGroups> cores;  ///< of the processors that may be used
  std::string cores_problem;        ///< why there are no `cores`

  /// Whether blocks can be measured here.
  bool usable() const { return run.has_value(); }
  /// What --clock auto takes: the first that works; null if none does.
  const ClockReport* best_clock() const;
};

/// What the user could change, most important first, each a sentence or two.
std::vector<std::string> advice(const DoctorReport& report);

/// The versioned object of docs/formats.md.
nlohmann::ordered_json to_json(const DoctorReport& report);
std::string to_text(const DoctorReport& report);

}  // namespace assay

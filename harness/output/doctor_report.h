#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "profiler/cores/core_groups.h"
#include "profiler/counters/backend.h"
#include "profiler/counters/tsc.h"
#include "profiler/machine/identity.h"
#include "profiler/subject/confinement.h"

namespace assay {

/// The smallest, median and largest value of some repetitions.
struct Spread {
  double least = 0;
  double median = 0;
  double most = 0;
};

/// The smallest, median and largest of the values, of which there must be at least one.
Spread spread_of(std::vector<double> values);

/// What measuring costs and shows on this machine, if blocks can be run at all.
struct RunReport {
  Spread core_cycles_per_tick;
  Spread stop_microseconds;        ///< a ptrace stop and the continuation from it
  Spread page_fault_microseconds;  ///< a missing page of a block, until it is mapped and runs on
  double disturbed = 0;            ///< share of series during which something else used the core
  subject::Confinement confinement;
};

/// A clock, whether it can be used, and how it is read if it can.
struct ClockReport {
  std::string name;
  Availability availability;
  std::optional<ReadMethod> method;  ///< unset if the clock cannot be used or opened
};

struct DoctorReport {
  Machine machine;
  std::string model_contradiction;  ///< why the model is not believed; empty if it is
  Environment environment;
  int processor = 0;
  bool assembler = false;
  std::vector<ClockReport> clocks;             ///< all clocks, the best first
  std::optional<TscProperties> tsc;            ///< unset if there is no TSC that counts
  double tsc_per_second = 0;                   ///< its ticks per second
  std::size_t validation_events = 0;           ///< those known for this microarchitecture
  std::size_t counted_validation_events = 0;   ///< those counted by the clock that was chosen
  std::vector<std::string> distrusted_events;  ///< not used: blocks without misses cause them
  std::size_t tested_validation_events = 0;    ///< known ones that were seen to count right
  std::optional<RunReport> run;
  std::string run_problem;          ///< why `run` is unset
  bool page_zero = false;           ///< whether blocks may use the lowest addresses
  std::optional<CoreGroups> cores;  ///< groups of the processors that may be used
  std::string cores_problem;        ///< why `cores` is unset

  /// Whether blocks can be measured here.
  bool usable() const { return run.has_value(); }
  /// The clock that --clock auto takes: the first that works; null if none does.
  const ClockReport* best_clock() const;
};

/// What the user could change, most important first, each a sentence or two.
std::vector<std::string> advice(const DoctorReport& report);

/// The report as the versioned object of docs/formats.md.
nlohmann::ordered_json to_json(const DoctorReport& report);
std::string to_text(const DoctorReport& report);

}  // namespace assay

#pragma once

#include <chrono>
#include <memory>
#include <string_view>

#include "profiler/block/block.h"
#include "profiler/measurement/measurement.h"
#include "profiler/measurement/settings.h"
#include "profiler/protocol/assay_protocol.h"
#include "profiler/sampling/sampling.h"
#include "tests/profiler/sampling/synthetic_machine.h"

namespace assay {

/// What a block came to on a synthetic machine.
struct SyntheticMeasurement {
  Measurement result;               ///< by all visits
  int series = 0;                   ///< series over all visits and plans, whether taken in or not
  std::chrono::nanoseconds time{};  ///< that passed on the machine, without the pauses
};

/// Measures blocks on a synthetic machine as production does: by its plans, its series, its rule
/// for when to stop, its judge, its control, and its visits. Like a profiler, it learns from block
/// to block.
class SyntheticProfiler {
 public:
  /// `hex` gives the block that is planned; how long it takes is the machine's matter.
  SyntheticProfiler(SyntheticMachine& machine, std::string_view hex, Notion notion,
                    const Settings& settings = {});

  /// Measures the machine's block, which begins anew, by visits until it is settled, or until
  /// `most_visits`.
  SyntheticMeasurement measure(int most_visits = 20);

 private:
  void calibrate(int series);
  Measurement visit(int number, SyntheticMeasurement& total);
  std::unique_ptr<Sampling> sample(const AssayProtocol& protocol, const Plan& plan, int visit,
                                   SyntheticMeasurement& total);
  bool control_is_calm(SyntheticMeasurement& total);

  SyntheticMachine& machine_;
  Settings settings_;
  AssayProtocol protocol_;
  Settings control_settings_;
  AssayProtocol control_protocol_;
  Plan plan_;
  ReadMethod method_;
  Companions companions_;
};

}  // namespace assay

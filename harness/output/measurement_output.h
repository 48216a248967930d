#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "profiler/block/bytes.h"
#include "profiler/counting/clock_choice.h"
#include "profiler/measurement/measurement.h"
#include "profiler/measurement/settings.h"

namespace assay {

/// A block with its measurement, for output.
struct MeasuredBlock {
  Bytes bytes;
  std::string text;
  Measurement measurement;
  ClockChoice clock_choice;            ///< how the settings' clock was chosen
  std::optional<CyclesPerTick> ratio;  ///< unset if it is not known
};

/// The measurement as the versioned object of docs/formats.md. `cycles` and `ci95` are null unless
/// the verdict is `measured`: a value that is not good enough is not handed on.
nlohmann::ordered_json to_json(const MeasuredBlock& block, const Settings& settings);

/// The measurement for people, in a few lines.
std::string to_text(const MeasuredBlock& block, const Settings& settings);

}  // namespace assay

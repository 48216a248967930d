#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "profiler/block/bytes.h"
#include "profiler/counting/clock_choice.h"
#include "profiler/measurement/measurement.h"
#include "profiler/measurement/settings.h"

namespace assay {

/// A block with what became of it, for output.
struct MeasuredBlock {
  Bytes bytes;
  std::string text;
  Measurement measurement;
  ClockChoice clock_choice;            ///< how the settings' clock was chosen
  std::optional<CyclesPerTick> ratio;  ///< nothing if it is not known
};

/// The versioned object of docs/formats.md. `cycles` and `ci95` are null unless the verdict is
/// `measured`: a value that was not good enough is not handed on.
nlohmann::ordered_json to_json(const MeasuredBlock& block, const Settings& settings);

/// The same for people, a few lines.
std::string to_text(const MeasuredBlock& block, const Settings& settings);

}  // namespace assay

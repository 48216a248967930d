#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>

#include "profiler/block/bytes.h"
#include "profiler/machine/identity.h"
#include "profiler/measurement/measurement.h"
#include "results/store/block_record.h"
#include "results/store/campaign.h"

// The JSON of outcomes, machines and campaigns, as docs/formats.md describes it: wherever assay
// prints one of these, it has the same fields with the same names.

namespace assay {

/// Event counts, as in the array `events`.
nlohmann::ordered_json to_json(std::span<const EventCount> events);

/// Modes, as in the array `modes`.
nlohmann::ordered_json to_json(std::span<const Mode> modes);

/// Placements, as in the array `placements`.
nlohmann::ordered_json to_json(std::span<const CodePlacement> placements);

/// A source, as an element of the array `sources`; `frequency` is null if the line gives none.
nlohmann::ordered_json to_json(const SourceRecord& source);

/// A machine, as in the object `machine`.
nlohmann::ordered_json to_json(const Machine& machine);

/// An environment, as in the object `environment`.
nlohmann::ordered_json to_json(const Environment& environment);

/// A campaign, as in the object `campaign`, without its settings.
nlohmann::ordered_json to_json(const Campaign& campaign);

/// A block and its outcome, with protocol and clock: the fields from `hex` to `placements`.
/// `cycles` and `ci95` are null unless the verdict is `measured`.
nlohmann::ordered_json outcome_json(const Bytes& bytes, std::string_view text,
                                    const Measurement& measurement, std::string_view protocol,
                                    std::string_view clock);

}  // namespace assay

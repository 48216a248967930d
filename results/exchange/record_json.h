#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>

#include "profiler/block/bytes.h"
#include "profiler/machine/identity.h"
#include "profiler/measurement/measurement.h"
#include "results/store/block_record.h"
#include "results/store/campaign.h"

// The JSON of what is measured and of where it was, as docs/formats.md has it: wherever assay
// prints one of these, it has the same fields by the same names.

namespace assay {

/// The array `events`.
nlohmann::ordered_json to_json(std::span<const EventCount> events);

/// An element of the array `sources`; `frequency` is null if the line gives none.
nlohmann::ordered_json to_json(const SourceRecord& source);

/// The object `machine`.
nlohmann::ordered_json to_json(const Machine& machine);

/// The object `environment`.
nlohmann::ordered_json to_json(const Environment& environment);

/// The object `campaign`: what it is of, without the settings.
nlohmann::ordered_json to_json(const Campaign& campaign);

/// The fields from `hex` to `events`: a block, and what became of it under which protocol and
/// clock. `cycles` and `ci95` are null unless the verdict is `measured`.
nlohmann::ordered_json outcome_json(const Bytes& bytes, std::string_view text,
                                    const Measurement& measurement, std::string_view protocol,
                                    std::string_view clock);

}  // namespace assay

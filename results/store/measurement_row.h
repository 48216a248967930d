#pragma once

#include "profiler/measurement/measurement.h"
#include "results/store/query.h"

namespace assay {

/// The columns of the table measurement that measurement_of() reads, in its order. For
/// results/*.cpp alone.
inline constexpr const char* kMeasurementColumns =
    "notion, verdict, reason, detail, cycles, spread, runs, dropped, copies, pages, initial_state, "
    "traits";

/// The measurement whose kMeasurementColumns begin at `column` of the row, without its events.
/// Throws SQLite::Exception, and InputError for a word that this version of assay does not know.
Measurement measurement_of(const Query& row, int column);

}  // namespace assay

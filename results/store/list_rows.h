#pragma once

#include <SQLiteCpp/Statement.h>

#include <compare>
#include <vector>

#include "profiler/measurement/measurement.h"
#include "results/store/measurement_rows.h"

namespace assay {

/// The lists of a measurement, each of which has a table of its own.
struct MeasurementLists {
  std::vector<EventCount> events;
  std::vector<Mode> modes;
  std::vector<CodePlacement> placements;

  bool empty() const { return events.empty() && modes.empty() && placements.empty(); }
  auto operator<=>(const MeasurementLists&) const = default;
};

/// Writes the lists of measurements. Their tables refuse impossible numbers, and an event that
/// comes twice.
class ListRowsWriter {
 public:
  /// `database` must outlive the writer.
  explicit ListRowsWriter(SQLite::Database& database);
  /// Writes the lists of a measurement, which must be in the store already and have none; they are
  /// deleted together with it. Throws SQLite::Exception.
  void write(const MeasurementKey& key, const MeasurementLists& lists);
  /// Writes the lists of a measurement in place of those that it has. Throws SQLite::Exception.
  void replace(const MeasurementKey& key, const MeasurementLists& lists);

 private:
  SQLite::Statement delete_events_, delete_modes_, delete_placements_;
  SQLite::Statement insert_event_, insert_mode_, insert_placement_;
};

/// Reads the lists of measurements.
class ListRowsReader {
 public:
  /// `database` must outlive the reader.
  explicit ListRowsReader(SQLite::Database& database);
  /// The lists of a measurement, in the order in which they were written. Throws
  /// SQLite::Exception.
  MeasurementLists read(const MeasurementKey& key);

 private:
  SQLite::Statement select_events_, select_modes_, select_placements_;
};

}  // namespace assay

#pragma once

#include <SQLiteCpp/Statement.h>

#include <span>
#include <vector>

#include "profiler/measurement/measurement.h"
#include "results/store/measurement_rows.h"

namespace assay {

/// Writes event counts; for Store. The table refuses impossible numbers, and a name that comes
/// twice.
class EventRowsWriter {
 public:
  /// `database` must outlive the writer.
  explicit EventRowsWriter(SQLite::Database& database);
  /// Writes the counts of a measurement, which must be in the store already; they are deleted
  /// together with it. Throws SQLite::Exception.
  void write(const MeasurementKey& key, std::span<const EventCount> events);

 private:
  SQLite::Statement insert_;
};

/// Reads event counts; for Store.
class EventRowsReader {
 public:
  /// `database` must outlive the reader.
  explicit EventRowsReader(SQLite::Database& database);
  /// The counts of a measurement, in the order in which they were written. Throws
  /// SQLite::Exception.
  std::vector<EventCount> read(const MeasurementKey& key);

 private:
  SQLite::Statement select_;
};

}  // namespace assay

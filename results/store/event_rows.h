#pragma once

#include <SQLiteCpp/Statement.h>

#include <span>
#include <vector>

#include "profiler/measurement/measurement.h"
#include "results/store/measurement_rows.h"

namespace assay {

/// Writes event counts; for Store. The table lets no impossible number in and no name twice.
class EventRowsWriter {
 public:
  /// `database` must outlive it.
  explicit EventRowsWriter(SQLite::Database& database);
  /// The measurement must be there already; its rows go when it goes. Throws SQLite::Exception.
  void write(const MeasurementKey& key, std::span<const EventCount> events);

 private:
  SQLite::Statement insert_;
};

/// Reads event counts; for Store.
class EventRowsReader {
 public:
  /// `database` must outlive it.
  explicit EventRowsReader(SQLite::Database& database);
  /// In the order in which they were written. Throws SQLite::Exception.
  std::vector<EventCount> read(const MeasurementKey& key);

 private:
  SQLite::Statement select_;
};

}  // namespace assay

#pragma once

#include <SQLiteCpp/Statement.h>

#include "profiler/measurement/measurement.h"
#include "results/store/event_rows.h"

namespace assay {

/// Writes second measurements, in place of earlier ones; for Store. The table lets no impossible
/// number in, and none of a block that has no outcome.
class RepeatRowsWriter {
 public:
  /// `database` must outlive it.
  explicit RepeatRowsWriter(SQLite::Database& database);
  /// Throws SQLite::Exception.
  void write(const MeasurementKey& key, const Measurement& repeat);

 private:
  SQLite::Statement upsert_;
};

}  // namespace assay

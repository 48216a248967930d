#pragma once

#include <SQLiteCpp/Statement.h>

#include <cstdint>
#include <string>

#include "profiler/measurement/measurement.h"
#include "results/store/campaign.h"

namespace assay {

/// What identifies a measurement in a store.
struct MeasurementKey {
  CampaignId campaign{};
  std::int64_t block = 0;
  Notion notion{};
};

/// Writes the rows of one of the two tables that hold measurements, `measurement` and `recheck`;
/// for Store. The columns are the fields of Measurement except `instructions`, which the block's
/// own row has. The table refuses impossible numbers.
class MeasurementRowsWriter {
 public:
  /// `database` must outlive the writer.
  MeasurementRowsWriter(SQLite::Database& database, const std::string& table);
  /// Removes the row, if there is one, with all rows that belong to it. Throws SQLite::Exception.
  void remove(const MeasurementKey& key);
  /// Adds a row; there must be none with this key yet. Throws SQLite::Exception.
  void write(const MeasurementKey& key, const Measurement& measurement);

 private:
  SQLite::Statement delete_;
  SQLite::Statement insert_;
};

}  // namespace assay

#pragma once

#include <SQLiteCpp/Statement.h>

#include <cstdint>
#include <string>

#include "profiler/measurement/measurement.h"
#include "results/store/campaign.h"

namespace assay {

/// What a measurement is found by.
struct MeasurementKey {
  CampaignId campaign{};
  std::int64_t block = 0;
  Notion notion{};
};

/// Writes the rows of one of the two tables that hold measurements, `measurement` and `recheck`;
/// for Store. The columns are the fields of Measurement but for `instructions`, which the block's
/// own row has. The table lets no impossible number in.
class MeasurementRowsWriter {
 public:
  /// `database` must outlive it.
  MeasurementRowsWriter(SQLite::Database& database, const std::string& table);
  /// Removes the row, with what belongs to it.
  void remove(const MeasurementKey& key);
  /// Where there is no such row yet. Both throw SQLite::Exception.
  void write(const MeasurementKey& key, const Measurement& measurement);

 private:
  SQLite::Statement delete_;
  SQLite::Statement insert_;
};

}  // namespace assay

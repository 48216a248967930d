#pragma once

#include <SQLiteCpp/Statement.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "profiler/measurement/measurement.h"
#include "results/store/campaign.h"

namespace assay {

/// The measurement that rows of the table event_count belong to.
struct MeasurementKey {
  CampaignId campaign{};
  std::int64_t block = 0;
  std::string notion;
};

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

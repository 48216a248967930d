#include "results/store/event_rows.h"

#include <SQLiteCpp/Database.h>
#include <fmt/format.h>

#include "results/store/row.h"

namespace assay {
namespace {

constexpr std::size_t kKeys = 4;  // campaign, block, notion, position

}  // namespace

EventRowsWriter::EventRowsWriter(SQLite::Database& database)
    : insert_(database,
              fmt::format("INSERT INTO event_count (campaign, block, notion, position, {}) "
                          "VALUES ({})",
                          columns_of<EventCount>(),
                          parameters(kKeys + field_names<EventCount>().size()))) {}

void EventRowsWriter::write(const MeasurementKey& key, std::span<const EventCount> events) {
  std::int64_t position = 0;
  for (const EventCount& event : events) {
    Query(insert_, key.campaign, key.block, key.notion, ++position, fields_of(event)).run();
  }
}

EventRowsReader::EventRowsReader(SQLite::Database& database)
    : select_(database, fmt::format("SELECT {} FROM event_count WHERE campaign = ?1 AND block = ?2 "
                                    "AND notion = ?3 ORDER BY position",
                                    columns_of<EventCount>())) {}

std::vector<EventCount> EventRowsReader::read(const MeasurementKey& key) {
  std::vector<EventCount> events;
  for (Query row(select_, key.campaign, key.block, key.notion); row.next();) {
    events.push_back(read_row<EventCount>(row, 0));
  }
  return events;
}

}  // namespace assay

#include "results/store/event_rows.h"

#include <SQLiteCpp/Database.h>

#include "results/store/query.h"

namespace assay {

EventRowsWriter::EventRowsWriter(SQLite::Database& database)
    : insert_(database,
              "INSERT INTO event_count (campaign, block, notion, name, position, per_copy, "
              "half_width, overhead, validates, pass, pass_cycles) "
              "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)") {}

void EventRowsWriter::write(const MeasurementKey& key, std::span<const EventCount> events) {
  std::int64_t position = 0;
  for (const EventCount& event : events) {
    Query(insert_, static_cast<std::int64_t>(key.campaign), key.block, key.notion, event.name,
          ++position, &event.per_copy, &event.half_width, &event.overhead, event.validates,
          event.pass, &event.pass_cycles)
        .run();
  }
}

EventRowsReader::EventRowsReader(SQLite::Database& database)
    : select_(database,
              "SELECT name, per_copy, half_width, overhead, validates, pass, pass_cycles "
              "FROM event_count WHERE campaign = ?1 AND block = ?2 AND notion = ?3 "
              "ORDER BY position") {}

std::vector<EventCount> EventRowsReader::read(const MeasurementKey& key) {
  std::vector<EventCount> events;
  for (Query row(select_, static_cast<std::int64_t>(key.campaign), key.block, key.notion);
       row.next();) {
    events.push_back({.name = row.text(0),
                      .per_copy = row.real(1),
                      .half_width = row.real(2),
                      .overhead = row.real(3),
                      .validates = row.integer(4) != 0,
                      .pass = row.integer(5),
                      .pass_cycles = row.real(6)});
  }
  return events;
}

}  // namespace assay

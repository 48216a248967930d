#include "results/store/list_rows.h"

#include <SQLiteCpp/Database.h>
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "results/store/row.h"

namespace assay {
namespace {

constexpr std::size_t kKeys = 4;  // campaign, block, notion, position

constexpr std::string_view kEvents = "event_count";
constexpr std::string_view kModes = "mode";
constexpr std::string_view kPlacements = "placement";

std::string deletion(std::string_view table) {
  return fmt::format("DELETE FROM {} WHERE campaign = ?1 AND block = ?2 AND notion = ?3", table);
}

template <Described T>
std::string insertion(std::string_view table) {
  return fmt::format("INSERT INTO {} (campaign, block, notion, position, {}) VALUES ({})", table,
                     columns_of<T>(), parameters(kKeys + field_names<T>().size()));
}

template <Described T>
std::string selection(std::string_view table) {
  return fmt::format(
      "SELECT {} FROM {} WHERE campaign = ?1 AND block = ?2 AND notion = ?3 ORDER BY position",
      columns_of<T>(), table);
}

template <Described T>
void write_list(SQLite::Statement& insert, const MeasurementKey& key, const std::vector<T>& list) {
  std::int64_t position = 0;
  for (const T& element : list) {
    Query(insert, key.campaign, key.block, key.notion, ++position, fields_of(element)).run();
  }
}

template <Described T>
std::vector<T> read_list(SQLite::Statement& select, const MeasurementKey& key) {
  std::vector<T> list;
  for (Query row(select, key.campaign, key.block, key.notion); row.next();) {
    list.push_back(read_row<T>(row, 0));
  }
  return list;
}

}  // namespace

ListRowsWriter::ListRowsWriter(SQLite::Database& database)
    : delete_events_(database, deletion(kEvents)),
      delete_modes_(database, deletion(kModes)),
      delete_placements_(database, deletion(kPlacements)),
      insert_event_(database, insertion<EventCount>(kEvents)),
      insert_mode_(database, insertion<Mode>(kModes)),
      insert_placement_(database, insertion<CodePlacement>(kPlacements)) {}

void ListRowsWriter::write(const MeasurementKey& key, const MeasurementLists& lists) {
  write_list(insert_event_, key, lists.events);
  write_list(insert_mode_, key, lists.modes);
  write_list(insert_placement_, key, lists.placements);
}

void ListRowsWriter::replace(const MeasurementKey& key, const MeasurementLists& lists) {
  for (SQLite::Statement* const statement :
       {&delete_events_, &delete_modes_, &delete_placements_}) {
    Query(*statement, key.campaign, key.block, key.notion).run();
  }
  write(key, lists);
}

ListRowsReader::ListRowsReader(SQLite::Database& database)
    : select_events_(database, selection<EventCount>(kEvents)),
      select_modes_(database, selection<Mode>(kModes)),
      select_placements_(database, selection<CodePlacement>(kPlacements)) {}

MeasurementLists ListRowsReader::read(const MeasurementKey& key) {
  return {.events = read_list<EventCount>(select_events_, key),
          .modes = read_list<Mode>(select_modes_, key),
          .placements = read_list<CodePlacement>(select_placements_, key)};
}

}  // namespace assay

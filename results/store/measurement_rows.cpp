#include "results/store/measurement_rows.h"

#include <SQLiteCpp/Database.h>
#include <fmt/ranges.h>

#include <vector>

#include "results/store/row.h"

namespace assay {
namespace {

/// The fields that the table has columns for, with `notion`, which is also the last part of the
/// key.
Fields stored_fields(const Measurement& measurement) {
  Fields fields = fields_of(measurement);
  std::erase_if(fields, [](const DescribedField& field) { return field.name == "instructions"; });
  return fields;
}

std::string insertion(const std::string& table) {
  std::vector<std::string_view> columns = {"campaign", "block"};
  for (const DescribedField& field : stored_fields({})) columns.push_back(field.name);
  return fmt::format("INSERT INTO {} ({}) VALUES ({})", table, fmt::join(columns, ", "),
                     parameters(columns.size()));
}

}  // namespace

MeasurementRowsWriter::MeasurementRowsWriter(SQLite::Database& database, const std::string& table)
    : delete_(database,
              "DELETE FROM " + table + " WHERE campaign = ?1 AND block = ?2 AND notion = ?3"),
      insert_(database, insertion(table)) {}

void MeasurementRowsWriter::remove(const MeasurementKey& key) {
  Query(delete_, key.campaign, key.block, key.notion).run();
}

void MeasurementRowsWriter::write(const MeasurementKey& key, const Measurement& measurement) {
  Query(insert_, key.campaign, key.block, stored_fields(measurement)).run();
}

}  // namespace assay

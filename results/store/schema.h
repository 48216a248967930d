#pragma once

#include <cstdint>

namespace assay {

/// The text of schema.sql: creates the tables of an empty store and marks it as one.
extern const char* const kSchema;
/// The schema version that schema.sql defines: SQLite's user_version of a store.
extern const std::uint32_t kSchemaVersion;
/// SQLite's application_id of every store of any version.
extern const std::uint32_t kApplicationId;

}  // namespace assay

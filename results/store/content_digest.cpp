#include "results/store/content_digest.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
// For the values of a function's arguments, which SQLiteCpp does not wrap.
#include <sqlite3.h>

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "profiler/support/counted.h"
#include "profiler/support/error.h"
#include "profiler/support/stable_hash.h"
#include "results/store/query.h"
#include "results/store/schema.h"
#include "results/store/write_ahead_log.h"

namespace assay {
namespace {

using Names = std::vector<std::string>;

/// Adds a value behind its type, and of what has a length, its length: no two rows of values give
/// the same bytes.
class RowHash {
 public:
  void add(std::int64_t value) { add_number('i', static_cast<std::uint64_t>(value)); }
  void add(double value) { add_number('r', std::bit_cast<std::uint64_t>(value)); }
  void add_null() { add_number('n', 0); }
  void add(char type, const void* bytes, int size) {
    add_number(type, static_cast<std::uint64_t>(size));
    hash_.add({static_cast<const std::uint8_t*>(bytes), static_cast<std::size_t>(size)});
  }
  std::int64_t value() const { return static_cast<std::int64_t>(hash_.value()); }

 private:
  void add_number(char type, std::uint64_t number) {
    std::array<std::uint8_t, 9> bytes{static_cast<std::uint8_t>(type)};
    for (std::size_t i = 1; i < bytes.size(); ++i) {
      bytes.at(i) = static_cast<std::uint8_t>(number >> 8 * (i - 1));
    }
    hash_.add(bytes);
  }

  StableHash hash_;
};

std::int64_t hash_of(std::span<sqlite3_value* const> values) {
  RowHash hash;
  for (sqlite3_value* value : values) {
    switch (sqlite3_value_type(value)) {
      case SQLITE_INTEGER:
        hash.add(static_cast<std::int64_t>(sqlite3_value_int64(value)));
        break;
      case SQLITE_FLOAT:
        hash.add(sqlite3_value_double(value));
        break;
      case SQLITE_TEXT: {
        const void* const text = sqlite3_value_text(value);
        hash.add('t', text, sqlite3_value_bytes(value));
        break;
      }
      case SQLITE_BLOB: {
        const void* const blob = sqlite3_value_blob(value);
        hash.add('b', blob, sqlite3_value_bytes(value));
        break;
      }
      default:
        hash.add_null();
    }
  }
  return hash.value();
}

/// The SQL function with_row(DIGEST, VALUE, ...): the digest with a row added to it or, which is
/// the same, taken from it.
void with_row(sqlite3_context* context, int count, sqlite3_value** values) {
  const std::span all(values, static_cast<std::size_t>(count));
  sqlite3_result_int64(context, sqlite3_value_int64(all.front()) ^ hash_of(all.subspan(1)));
}

void add_functions(SQLite::Database& database) {
  constexpr int kAnyNumber = -1;
  database.createFunction("with_row", kAnyNumber, true, nullptr, with_row, nullptr, nullptr,
                          nullptr);
}

Names names_by(SQLite::Database& database, const std::string& query) {
  SQLite::Statement select(database, query);
  Names names;
  for (Query row(select); row.next();) names.push_back(row.text(0));
  return names;
}

Names digested_tables(SQLite::Database& database) {
  return names_by(database,
                  "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name <> 'digest' "
                  "AND name NOT LIKE 'sqlite_%' ORDER BY name");
}

/// The table's columns with this in front of each, and commas between.
std::string listed_columns(SQLite::Database& database, const std::string& table,
                           std::string_view in_front) {
  Names names =
      names_by(database, fmt::format("SELECT name FROM pragma_table_info('{}', 'main')", table));
  for (std::string& name : names) name = fmt::format("{}\"{}\"", in_front, name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string digest_of(SQLite::Database& database, const std::string& table) {
  return fmt::format("SELECT with_row(0, {}) FROM main.\"{}\"", listed_columns(database, table, ""),
                     table);
}

struct Digest {
  std::int64_t rows = 0;
  std::int64_t value = 0;
};

Digest present_digest(SQLite::Database& database, const std::string& table) {
  SQLite::Statement select(database, digest_of(database, table));
  Digest digest;
  for (Query row(select); row.next();) {
    ++digest.rows;
    digest.value ^= row.integer(0);
  }
  return digest;
}

std::optional<std::string> find_changed_table(SQLite::Database& database) {
  SQLite::Statement select(database, "SELECT rows, value FROM main.digest WHERE name = ?1");
  for (const std::string& table : digested_tables(database)) {
    Query kept(select, table);
    if (!kept.next()) return fmt::format("the table {} has no digest", table);
    const Digest present = present_digest(database, table);
    if (kept.integer(0) != present.rows) {
      return fmt::format("the table {} has {}, and assay wrote {}", table,
                         counted(present.rows, "row"), kept.integer(0));
    }
    if (kept.integer(1) != present.value) {
      return fmt::format("the table {} does not hold what assay wrote", table);
    }
  }
  return std::nullopt;
}

Names schema_of(SQLite::Database& database) {
  return names_by(database,
                  "SELECT type || '|' || name || '|' || tbl_name || '|' || ifnull(sql, '') "
                  "FROM main.sqlite_schema "
                  "WHERE name NOT LIKE 'sqlite_stat%' ORDER BY type, name");
}

std::optional<std::string> find_other_tables(SQLite::Database& database) {
  SQLite::Database usual(":memory:", SQLite::OPEN_READWRITE);
  usual.exec(kSchema);
  if (schema_of(database) == schema_of(usual)) return std::nullopt;
  return "its tables are not those of a store of this version";
}

}  // namespace

void keep_digests(SQLite::Database& database) {
  add_functions(database);
  for (const std::string& table : digested_tables(database)) {
    const std::string added = listed_columns(database, table, "NEW.");
    const std::string gone = listed_columns(database, table, "OLD.");
    const auto keep = [&](std::string_view event, int rows, const std::string& value) {
      database.exec(fmt::format(
          "CREATE TEMP TRIGGER IF NOT EXISTS \"digest_{0}_{1}\" AFTER {0} ON main.\"{1}\" BEGIN "
          "UPDATE digest SET rows = rows + {2}, value = {3} WHERE name = '{1}'; END",
          event, table, rows, value));
    };
    keep("INSERT", 1, fmt::format("with_row(value, {})", added));
    keep("DELETE", -1, fmt::format("with_row(value, {})", gone));
    keep("UPDATE", 0, fmt::format("with_row(with_row(value, {}), {})", gone, added));
  }
}

std::optional<std::string> find_broken_pages(SQLite::Database& database) {
  // The faster quick_check would not see that an index leads astray.
  const std::string pages = database.execAndGet("PRAGMA main.integrity_check(1)").getString();
  if (pages != "ok") return pages;
  if (auto other = find_other_tables(database)) return other;
  SQLite::Statement orphans(database, "PRAGMA main.foreign_key_check");
  if (!orphans.executeStep()) return std::nullopt;
  return fmt::format("a row of the table {} belongs to one of {} that is not there",
                     orphans.getColumn(0).getString(), orphans.getColumn(2).getString());
}

namespace {

std::optional<std::string> find_damage_of_tables(SQLite::Database& database) {
  add_functions(database);
  SQLite::Transaction one_moment(database);
  if (auto broken = find_broken_pages(database)) return broken;
  return find_changed_table(database);
}

}  // namespace

std::optional<std::string> find_damage(SQLite::Database& database,
                                       const std::filesystem::path& path) {
  if (auto damaged = find_damaged_log(path)) return damaged;
  return find_damage_of_tables(database);
}

void check_content(SQLite::Database& database, const std::filesystem::path& path) {
  if (const auto damaged = find_damaged_log(path)) {
    throw InputError(
        fmt::format("{0}: the store is damaged ({1}): SQLite passes over what stands there, and "
                    "deletes it when somebody writes: take a copy of both from before, or copy "
                    "the store and {0}-wal, and go on without what is behind the damage by assay "
                    "check --accept",
                    path.string(), *damaged));
  }
  const auto damage = find_damage_of_tables(database);
  if (!damage) return;
  throw InputError(fmt::format(
      "{}: the store is damaged, or another program changed it ({}): take a copy from before, or "
      "save what is left with sqlite3's .recover; if you changed it yourself, accept that by "
      "assay check --accept",
      path.string(), *damage));
}

void renew_digests(SQLite::Database& database) {
  add_functions(database);
  SQLite::Transaction transaction(database);
  database.exec("DELETE FROM main.digest");
  SQLite::Statement insert(database, "INSERT INTO main.digest VALUES (?1, ?2, ?3)");
  for (const std::string& table : digested_tables(database)) {
    const Digest digest = present_digest(database, table);
    Query(insert, table, digest.rows, digest.value).run();
  }
  transaction.commit();
}

}  // namespace assay

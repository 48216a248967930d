#pragma once

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "profiler/block/bytes.h"
#include "profiler/support/fields.h"

namespace assay {

/// The bytes of a blob.
inline Bytes bytes_of(const SQLite::Column& column) {
  const auto* data = static_cast<const std::uint8_t*>(column.getBlob());
  return {data, data + column.getBytes()};
}

/// One use of a prepared statement; for results/ only. Resets the statement at its end: a statement
/// that still stands on a row keeps its read transaction open, which keeps every later checkpoint
/// from finishing. Values are not copied: they must outlive the query.
class Query {
 public:
  /// Binds the values to ?1, ?2, ... in this order.
  template <typename... Values>
  explicit Query(SQLite::Statement& statement, const Values&... values) : statement_(statement) {
    (bind(values), ...);
  }
  ~Query() { statement_.tryReset(); }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  /// Goes on to the next row; false if there is none. Throws SQLite::Exception.
  bool next() { return statement_.executeStep(); }
  /// Runs a statement that gives no rows. Throws SQLite::Exception.
  void run() { statement_.exec(); }

  std::int64_t integer(int column) const { return statement_.getColumn(column).getInt64(); }
  double real(int column) const { return statement_.getColumn(column).getDouble(); }
  bool is_null(int column) const { return statement_.isColumnNull(column); }
  FieldValue value(int column) const;
  std::string text(int column) const { return statement_.getColumn(column).getString(); }
  Bytes blob(int column) const { return bytes_of(statement_.getColumn(column)); }

 private:
  void bind(std::integral auto value) {
    statement_.bind(++index_, static_cast<std::int64_t>(value));
  }
  /// Binds an enumeration by its name if it has names, else by its number.
  template <typename Value>
  requires std::is_enum_v<Value>
  void bind(Value value) {
    if constexpr (Named<Value>) {
      bind(std::string_view(name(value)));
    } else {
      bind(static_cast<std::underlying_type_t<Value>>(value));
    }
  }
  void bind(const std::string& value) { statement_.bindNoCopy(++index_, value); }
  void bind(std::string_view value) { statement_.bind(++index_, std::string(value)); }
  void bind(const std::optional<double>& value) {
    ++index_;
    value ? statement_.bind(index_, *value) : statement_.bind(index_);
  }
  void bind(const FieldValue& value);
  /// Binds the values of all fields, in their order.
  void bind(const Fields& fields) {
    for (const DescribedField& field : fields) bind(field.value);
  }
  void bind(const Bytes& value) {
    // An empty vector's data() may be null, which SQLite would take for NULL.
    const void* data = value.empty() ? "" : static_cast<const void*>(value.data());
    statement_.bindNoCopy(++index_, data, static_cast<int>(value.size()));
  }

  SQLite::Statement& statement_;
  int index_ = 0;
};

}  // namespace assay

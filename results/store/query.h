#pragma once

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "profiler/block/bytes.h"

namespace assay {

/// One use of a prepared statement; for results/*.cpp alone. Resets the statement at its end: one
/// left standing on a row keeps its read transaction open, and with it every later checkpoint out.
/// Values are not copied: they must outlive the query.
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
  std::string text(int column) const { return statement_.getColumn(column).getString(); }
  Bytes blob(int column) const {
    const SQLite::Column value = statement_.getColumn(column);
    const auto* data = static_cast<const std::uint8_t*>(value.getBlob());
    return {data, data + value.getBytes()};
  }

 private:
  void bind(std::integral auto value) {
    statement_.bind(++index_, static_cast<std::int64_t>(value));
  }
  void bind(const std::string& value) { statement_.bindNoCopy(++index_, value); }
  void bind(std::string_view value) { statement_.bind(++index_, std::string(value)); }
  /// A null pointer stands for NULL.
  void bind(const double* value) {
    ++index_;
    value != nullptr ? statement_.bind(index_, *value) : statement_.bind(index_);
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

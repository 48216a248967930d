#include "results/store/query.h"

#include <fmt/ranges.h>

#include <type_traits>
#include <variant>

namespace assay {

FieldValue Query::value(int column) const {
  const SQLite::Column found = statement_.getColumn(column);
  if (found.isNull()) return std::monostate{};
  if (found.isInteger()) return found.getInt64();
  if (found.isFloat()) return found.getDouble();
  return found.getString();
}

void Query::bind(const FieldValue& value) {
  std::visit(
      [this](const auto& held) {
        using Held = std::remove_cvref_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::monostate>) {
          statement_.bind(++index_);
        } else if constexpr (std::is_same_v<Held, double>) {
          statement_.bind(++index_, held);
        } else if constexpr (std::is_same_v<Held, std::vector<std::string_view>>) {
          statement_.bind(++index_, fmt::format("{}", fmt::join(held, ",")));
        } else {
          bind(held);
        }
      },
      value);
}

}  // namespace assay

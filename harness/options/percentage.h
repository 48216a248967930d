#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace assay {

/// A percentage, kept exactly as it was written, so that rounding of numbers such as 0.1 does not
/// decide whether a share is above it.
class Percentage {
 public:
  /// Parses "5" or "0.25": 0 to 100, with at most six digits after the point; nothing for other
  /// text.
  static std::optional<Percentage> from(std::string_view text);

  /// Whether part / whole is more than this percentage; `whole` may be up to 10^10.
  bool is_exceeded_by(std::int64_t part, std::int64_t whole) const;

 private:
  explicit Percentage(std::int64_t millionths) : millionths_(millionths) {}
  std::int64_t millionths_;  ///< of a percent
};

}  // namespace assay

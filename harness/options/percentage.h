#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace assay {

/// A percentage as it was written, kept exactly: whether a share is above it does not depend on how
/// 0.1 is stored.
class Percentage {
 public:
  /// From "5", "0.25": 0 to 100, with at most six digits after the point; nothing for other text.
  static std::optional<Percentage> from(std::string_view text);

  /// Whether part / whole is more than this. `whole` up to 10^10.
  bool is_exceeded_by(std::int64_t part, std::int64_t whole) const;

 private:
  explicit Percentage(std::int64_t millionths) : millionths_(millionths) {}
  std::int64_t millionths_;  ///< of a percent
};

}  // namespace assay

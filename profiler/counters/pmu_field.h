#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Adjacent bits of a word, including both ends: 0 <= first <= last <= 63.
struct BitRange {
  int first = 0;
  int last = 0;
  bool operator==(const BitRange&) const = default;
};

/// A named part of perf_event_attr's config words, as the kernel describes it in a file in the
/// PMU's `format` folder (Documentation/ABI/testing/sysfs-bus-event_source-devices-format).
struct PmuField {
  std::string name;
  int word = 0;                  ///< 0 for config, 1 for config1, and so on
  std::vector<BitRange> ranges;  ///< where the value's bits go, beginning with its lowest bits
  bool operator==(const PmuField&) const = default;

  /// A word in which all bits of the field are set.
  std::uint64_t mask() const;
  /// How many bits a value of the field may have.
  int width() const;
  /// The value's bits, moved to the field's position. The value must not have more than width()
  /// bits.
  std::uint64_t placed(std::uint64_t value) const;
  /// The field's bits in the kernel's form: "config:0-7,32-35".
  std::string layout() const;
};

/// Reads the kernel's text, "config:0-7,32-35", without the end of the line. The form is a word
/// ("config" and at most one digit), a colon, and bits or ascending ranges of bits, all below 64
/// and none of them twice. Nothing if the text does not have that form.
std::optional<PmuField> parse_pmu_field(std::string_view name, std::string_view text);

}  // namespace assay

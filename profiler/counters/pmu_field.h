#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Neighbouring bits of a word, both ends among them: 0 <= first <= last <= 63.
struct BitRange {
  int first = 0;
  int last = 0;
  bool operator==(const BitRange&) const = default;
};

/// A named part of perf_event_attr's config words: what the kernel says in a file of the PMU's
/// `format` folder (Documentation/ABI/testing/sysfs-bus-event_source-devices-format).
struct PmuField {
  std::string name;
  int word = 0;                  ///< 0 for config, 1 for config1, and so on
  std::vector<BitRange> ranges;  ///< where the value's bits go, its lowest ones first
  bool operator==(const PmuField&) const = default;

  /// All its bits, in place.
  std::uint64_t mask() const;
  /// How many bits a value may have.
  int width() const;
  /// The value's bits, in place. The value must not have more than width() bits.
  std::uint64_t placed(std::uint64_t value) const;
  /// As the kernel writes it: "config:0-7,32-35".
  std::string layout() const;
};

/// Reads the kernel's text, "config:0-7,32-35", without the line's end; nothing if it is not of
/// that form: a word ("config" and a digit or none), a colon, and bits or ranges of bits that rise
/// within a range, that are all below 64 and none of which is there twice.
std::optional<PmuField> parse_pmu_field(std::string_view name, std::string_view text);

}  // namespace assay

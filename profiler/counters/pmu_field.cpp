#include "profiler/counters/pmu_field.h"

#include <fmt/format.h>

#include "profiler/counters/event_text.h"
#include "profiler/support/number.h"

namespace assay {
namespace {

constexpr int kWordBits = 64;

int width_of(const BitRange& range) { return range.last - range.first + 1; }

/// A number whose `count` lowest bits are set.
std::uint64_t low_bits(int count) {
  return count >= kWordBits ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// The number of a config word from its name, "config", "config1", ...
std::optional<int> parse_word(std::string_view text) {
  constexpr std::string_view kPrefix = "config";
  if (!text.starts_with(kPrefix)) return std::nullopt;
  text.remove_prefix(kPrefix.size());
  if (text.empty()) return 0;
  if (text.size() != 1 || text[0] < '0' || text[0] > '9') return std::nullopt;
  return text[0] - '0';
}

/// Reads the number of a bit, which must be in decimal digits: parse_number would accept 0x too.
std::optional<int> parse_bit(std::string_view digits) {
  if (digits.empty() || digits.size() > 2 ||
      digits.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  const auto bit = static_cast<int>(*parse_number(digits));
  return bit < kWordBits ? std::optional(bit) : std::nullopt;
}

std::optional<BitRange> parse_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  const std::optional<int> first = parse_bit(text.substr(0, dash));
  const std::optional<int> last =
      dash == std::string_view::npos ? first : parse_bit(text.substr(dash + 1));
  if (!first || !last || *first > *last) return std::nullopt;
  return BitRange{*first, *last};
}

}  // namespace

std::uint64_t PmuField::mask() const { return placed(low_bits(width())); }

int PmuField::width() const {
  int bits = 0;
  for (const BitRange& range : ranges) bits += width_of(range);
  return bits;
}

std::uint64_t PmuField::placed(std::uint64_t value) const {
  std::uint64_t bits = 0;
  for (const BitRange& range : ranges) {
    const int width = width_of(range);
    bits |= (value & low_bits(width)) << range.first;
    value = width >= kWordBits ? 0 : value >> width;
  }
  return bits;
}

std::string PmuField::layout() const {
  std::vector<std::string> parts;
  for (const BitRange& range : ranges) {
    parts.push_back(range.first == range.last ? fmt::format("{}", range.first)
                                              : fmt::format("{}-{}", range.first, range.last));
  }
  return fmt::format("config{}:{}", word == 0 ? "" : std::to_string(word), fmt::join(parts, ","));
}

std::optional<PmuField> parse_pmu_field(std::string_view name, std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::optional<int> word = parse_word(text.substr(0, colon));
  if (!word) return std::nullopt;
  PmuField field{std::string(name), *word, {}};
  std::uint64_t taken = 0;
  for (const std::string_view part : split(text.substr(colon + 1), ',')) {
    const std::optional<BitRange> range = parse_range(part);
    if (!range) return std::nullopt;
    const std::uint64_t bits = low_bits(width_of(*range)) << range->first;
    if ((taken & bits) != 0) return std::nullopt;
    taken |= bits;
    field.ranges.push_back(*range);
  }
  return field;
}

}  // namespace assay

// Short texts: blocks in hexadecimal digits, numbers, names and lists of them.
#include <algorithm>
#include <cctype>

#include "profiler/block/bytes.h"
#include "profiler/block/register_names.h"
#include "profiler/block/traits.h"
#include "profiler/block/verdict.h"
#include "profiler/counters/event_text.h"
#include "profiler/counters/pmu_field.h"
#include "profiler/measurement/measurement.h"
#include "profiler/support/error.h"
#include "profiler/support/number.h"
#include "suites/readers/corpus_format.h"
#include "tests/fuzz/targets/target.h"

namespace assay::fuzz {
namespace {

void read_hex(std::string_view text) {
  try {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    require(hex_from_bytes(bytes_from_hex(text)) == lower, "hexadecimal digits do not come back");
  } catch (const InputError&) {
  }
}

void read_numbers(std::string_view text) {
  const auto number = parse_number(text);
  require(!number || parse_number(std::to_string(*number)) == number,
          "a number does not come back");
  parse_hexadecimal(text);
}

void read_names(std::string_view text) {
  const auto traits = named<Traits>(text);
  require(!traits || named<Traits>(to_string(*traits)) == traits, "traits do not come back");
  const auto reason = named<Reason>(text);
  require(!reason || name(*reason) == text, "a reason has another name");
  const auto notion = named<Notion>(text);
  require(!notion || name(*notion) == text, "a notion has another name");
  const auto format = named<CorpusFormat>(text);
  require(!format || name(*format) == text, "a format has another name");
}

void read_field(std::string_view text) {
  const auto field = parse_pmu_field("field", text);
  if (!field) return;
  require(field->width() >= 1 && field->width() <= 64, "a field has no width");
  const auto again = parse_pmu_field("field", field->layout());
  require(again && again->mask() == field->mask(), "a field's layout does not come back");
}

}  // namespace
}  // namespace assay::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = assay::fuzz::text_from(data, size);
  assay::fuzz::read_hex(text);
  assay::fuzz::read_numbers(text);
  assay::fuzz::read_names(text);
  assay::fuzz::read_field(text);
  return 0;
}

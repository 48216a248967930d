#include "profiler/counters/nanobench_event.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "profiler/counters/event_text.h"
#include "profiler/support/blanks.h"
#include "profiler/support/error.h"
#include "profiler/support/number.h"

namespace assay {
namespace {

/// A part that may follow an event's codes in nanoBench's form.
struct Part {
  std::string_view name;   ///< nanoBench's name for it
  std::string_view field;  ///< the kernel's name for it; empty if it has none
  bool has_value = false;
  bool of_msr = false;  ///< whether it is the value of an MSR, which the value 0 leaves alone
};

constexpr std::array<Part, 11> kParts = {{
    {"CMSK", "cmask", true},
    {"AnyT", "any"},
    {"EDG", "edge"},
    {"INV", "inv"},
    {"TakenAlone", ""},
    {"CTR", "", true},
    {"MSR_3F6", "ldlat", true, true},
    {"MSR_3F6H", "ldlat", true, true},
    {"MSR_PF", "frontend", true, true},
    {"MSR_RSP0", "offcore_rsp", true, true},
    {"MSR_RSP1", "offcore_rsp", true, true},
}};

bool is_hexadecimal(std::string_view text) {
  return text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

/// Whether the first two parts are an event and a unit mask: "C0" and "00", or "28A" and "02".
bool begins_like_nanobench(const std::vector<std::string_view>& parts) {
  return parts.size() >= 2 && (parts[0].size() == 2 || parts[0].size() == 3) &&
         parts[1].size() == 2 && is_hexadecimal(parts[0]) && is_hexadecimal(parts[1]);
}

const Part& part_named(std::string_view name, std::string_view text) {
  const auto found = std::ranges::find(kParts, name, &Part::name);
  if (found == kParts.end()) {
    throw InputError(fmt::format(
        "\"{}\" is no part of an event in nanoBench's form: CMSK=, AnyT, EDG, INV, TakenAlone, "
        "CTR=, MSR_3F6H=, MSR_PF=, MSR_RSP0=, MSR_RSP1=",
        text));
  }
  return *found;
}

/// The number in a part. A leading 0 is refused: nanoBench reads such a number as octal, perf does
/// not.
std::uint64_t number_of(std::string_view text, std::string_view part) {
  const bool octal = text.size() > 1 && text[0] == '0' && text[1] != 'x' && text[1] != 'X';
  const std::optional<std::uint64_t> value = octal ? std::nullopt : parse_number(text);
  if (!value) {
    throw InputError(
        fmt::format("\"{}\": no number (decimal, or hexadecimal with 0x in front)", part));
  }
  return *value;
}

void add_part(std::string_view text, EventRequest& event, std::vector<std::string_view>& fields) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const Part& part = part_named(name, text);
  if (part.has_value != (equals != std::string_view::npos)) {
    throw InputError(fmt::format("\"{}\": {} number belongs to {}", text,
                                 part.has_value ? "a" : "no", part.name));
  }
  const std::uint64_t value = part.has_value ? number_of(text.substr(equals + 1), text) : 1;
  const std::string_view known_as = part.field.empty() ? part.name : part.field;
  if (std::ranges::find(fields, known_as) != fields.end()) {
    throw InputError(fmt::format("\"{}\" sets what another part has set already", text));
  }
  fields.push_back(known_as);
  if (part.name == "TakenAlone") event.alone = true;
  if (part.field.empty() || (part.of_msr && value == 0)) return;
  event.specification += fmt::format(",{}={:#x}", part.field, value);
}

}  // namespace

std::optional<EventRequest> parse_nanobench_event(std::string_view line) {
  const std::string_view config = line.substr(0, line.find_first_of(" \t"));
  const std::vector<std::string_view> parts = split(config, '.');
  if (!begins_like_nanobench(parts)) return std::nullopt;
  const std::string_view name = trimmed(line.substr(config.size()));
  EventRequest event;
  event.name = name.empty() ? config : name;
  event.specification =
      fmt::format("cpu/event=0x{},umask=0x{}", lower_case(parts[0]), lower_case(parts[1]));
  std::vector<std::string_view> fields;
  for (std::size_t i = 2; i < parts.size(); ++i) add_part(parts[i], event, fields);
  event.specification += "/";
  return event;
}

}  // namespace assay

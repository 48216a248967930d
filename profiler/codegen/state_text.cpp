#include "profiler/codegen/state_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>

#include "profiler/block/register_names.h"
#include "profiler/support/blanks.h"
#include "profiler/support/clipped.h"
#include "profiler/support/error.h"
#include "profiler/support/number.h"

namespace assay {
namespace {

constexpr std::string_view kMemory = "mem";

void take_profile(std::string_view word, StateRequest& request) {
  if (!request.profile.empty()) {
    throw InputError(
        fmt::format("{} is a second initial state, behind '{}'", clipped(word), request.profile));
  }
  if (!initial_state_named(word)) {
    throw InputError(fmt::format("no initial state {}; there are: {}", clipped(word),
                                 fmt::join(initial_state_names(), ", ")));
  }
  request.profile = word;
}

void take_memory(std::string_view word, std::uint64_t value, StateOverrides& overrides) {
  if (overrides.memory_word) {
    throw InputError(fmt::format("{}: what memory holds is said twice", clipped(word)));
  }
  overrides.memory_word = value;
}

void take_register(std::string_view word, std::string_view name, std::uint64_t value,
                   StateOverrides& overrides) {
  const auto reg = named<GeneralRegister>(name);
  if (!reg) {
    throw InputError(fmt::format("{}: neither a general register of 64 bits (rax to r15) nor '{}'",
                                 clipped(word), kMemory));
  }
  if (std::ranges::find(overrides.registers, *reg, &StateOverrides::Register::reg) !=
      overrides.registers.end()) {
    throw InputError(fmt::format("{}: what {} holds is said twice", clipped(word), name));
  }
  overrides.registers.push_back({*reg, value});
}

void take_word(std::string_view word, StateRequest& request) {
  const std::size_t sign = word.find('=');
  if (sign == std::string_view::npos) return take_profile(word, request);
  const auto value = parse_number(word.substr(sign + 1));
  if (!value) {
    throw InputError(fmt::format(
        "{}: no number of 64 bits, decimal or hexadecimal (0x...), behind '='", clipped(word)));
  }
  const std::string_view name = word.substr(0, sign);
  if (name == kMemory) return take_memory(word, *value, request.overrides);
  take_register(word, name, *value, request.overrides);
}

}  // namespace

std::string to_text(const StateRequest& request) {
  std::array<std::optional<std::uint64_t>, kGeneralRegisters> values;
  for (const auto& [reg, value] : request.overrides.registers) {
    values.at(static_cast<std::size_t>(reg)) = value;
  }
  std::string text = request.profile;
  const auto add = [&text](std::string_view name, std::uint64_t value) {
    fmt::format_to(std::back_inserter(text), "{}{}=0x{:x}", text.empty() ? "" : " ", name, value);
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values.at(i)) add(name(static_cast<GeneralRegister>(i)), *values.at(i));
  }
  if (request.overrides.memory_word) add(kMemory, *request.overrides.memory_word);
  return text;
}

StateRequest state_request_from(std::string_view text) {
  StateRequest request;
  for (;;) {
    text = trimmed(text);
    if (text.empty()) return request;
    const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
    take_word(text.substr(0, end), request);
    text.remove_prefix(end);
  }
}

}  // namespace assay

#include "profiler/measurement/settings.h"

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "profiler/block/register_names.h"

namespace assay {
namespace {

nlohmann::ordered_json registers_json(const std::vector<StateOverrides::Register>& registers) {
  std::map<GeneralRegister, std::uint64_t> values;  // only the last value of each register counts
  for (const auto& [reg, value] : registers) values[reg] = value;
  auto json = nlohmann::ordered_json::object();
  for (const auto& [reg, value] : values) json[std::string(name(reg))] = value;
  return json;
}

nlohmann::ordered_json events_json(const std::vector<EventRequest>& events) {
  auto json = nlohmann::ordered_json::array();
  for (const auto& [name, specification, alone] : events) {
    json.push_back({{"name", name}, {"specification", specification}, {"alone", alone}});
  }
  return json;
}

template <typename Number>
nlohmann::ordered_json json_of(const std::optional<Number>& number) {
  return number ? nlohmann::ordered_json(*number) : nlohmann::ordered_json();
}

constexpr std::array<std::string_view, 4> kLoopEndChoices = {"auto", "own", "replaced", "added"};

}  // namespace

std::string_view name(LoopEndChoice choice) {
  return kLoopEndChoices.at(static_cast<std::size_t>(choice));
}

template <>
std::optional<LoopEndChoice> named<LoopEndChoice>(std::string_view word) {
  return value_named<LoopEndChoice>(kLoopEndChoices, word);
}

std::span<const std::string_view> loop_end_choice_names() { return kLoopEndChoices; }

std::string to_json(const Settings& settings) {
  // Settings are taken apart by structured binding, overrides too: a field that is added does not
  // compile until it is listed here, so that no two different settings ever have the same text.
  const auto& [revision, protocol, nanobench, clock, clock_reading, events, validation,
               initial_state, state_overrides, fallback_states, target_instructions,
               loop_min_instructions, loop_end, loop_alignment, reject, page_limit, time_limit,
               target_relative, target_cycles, accept_relative, accept_cycles, sampling_budget,
               series_slowdown, accept_slowdown, visit_patience] = settings;
  const auto& [unroll, loop, warm_up, runs, aggregate] = nanobench;
  const auto& [registers, memory_word, code, frames] = state_overrides;
  const nlohmann::ordered_json json = {
      {"revision", revision},
      {"protocol", protocol},
      {"nanobench",
       {{"unroll", unroll},
        {"loop", loop},
        {"warm_up", warm_up},
        {"runs", runs},
        {"aggregate", name(aggregate)}}},
      {"clock", clock},
      {"clock_reading", clock_reading},
      {"events", events_json(events)},
      {"validation", validation},
      {"initial_state", initial_state},
      {"registers", registers_json(registers)},
      {"memory_word", json_of(memory_word)},
      {"init_code", hex_from_bytes(code)},
      {"frames", json_of(frames)},
      {"fallback_states", fallback_states},
      {"target_instructions", target_instructions},
      {"loop_min_instructions", loop_min_instructions},
      {"loop_end", name(loop_end)},
      {"loop_alignment", loop_alignment},
      {"reject", to_string(reject)},
      {"page_limit", page_limit},
      {"time_limit_ms", time_limit.count()},
      {"target_relative", target_relative},
      {"target_cycles", target_cycles},
      {"accept_relative", accept_relative},
      {"accept_cycles", accept_cycles},
      {"sampling_budget_ms", sampling_budget.count()},
      {"series_slowdown", series_slowdown},
      {"accept_slowdown", accept_slowdown},
      {"visit_patience_ms", visit_patience.count()},
  };
  return json.dump();
}

}  // namespace assay

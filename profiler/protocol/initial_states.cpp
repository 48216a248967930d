#include "profiler/protocol/initial_states.h"

#include <fmt/format.h>

#include "profiler/support/error.h"

namespace assay {

InitialStates::InitialStates(const Settings& settings)
    : settings_(settings), usual_(with(StateRequest{})) {}

InitialState InitialStates::with(const StateRequest& request) const {
  StateRequest whole = request;
  if (whole.profile.empty()) whole.profile = settings_.initial_state;
  const auto profile = initial_state_named(whole.profile);
  if (!profile) throw InputError(fmt::format("no initial state is called '{}'", whole.profile));
  whole.overrides = settings_.state_overrides;
  const auto& own = request.overrides;
  whole.overrides.registers.insert(whole.overrides.registers.end(), own.registers.begin(),
                                   own.registers.end());
  if (own.memory_word) whole.overrides.memory_word = own.memory_word;
  InitialState state = with_overrides(*profile, whole.overrides);
  state.name = to_text(whole);
  return state;
}

std::optional<InitialState> InitialStates::with_room() const {
  if (!settings_.fallback_states || settings_.initial_state != "distinct") return std::nullopt;
  return with({"spaced", {}});
}

std::vector<InitialState> InitialStates::after(Reason reason) const {
  std::vector<InitialState> states;
  if (!settings_.fallback_states) return states;
  for (const std::string_view profile : fallback_states(reason)) {
    if (profile != settings_.initial_state) states.push_back(with({std::string(profile), {}}));
  }
  return states;
}

}  // namespace assay

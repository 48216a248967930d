#include "profiler/protocol/settings.h"

#include <nlohmann/json.hpp>

namespace assay {

std::string to_json(const Settings& settings) {
  // Taken apart by structured binding: a field added to Settings does not compile until it is
  // listed here, so that no two different settings ever share a text.
  const auto& [revision, protocol, notion, clock, initial_state, target_instructions, page_limit,
               time_limit, target_relative, target_cycles, accept_relative, accept_cycles,
               sampling_budget, round_slowdown, accept_slowdown, patience] = settings;
  const nlohmann::ordered_json json = {
      {"revision", revision},
      {"protocol", protocol},
      {"notion", notion},
      {"clock", clock},
      {"initial_state", initial_state},
      {"target_instructions", target_instructions},
      {"page_limit", page_limit},
      {"time_limit_ms", time_limit.count()},
      {"target_relative", target_relative},
      {"target_cycles", target_cycles},
      {"accept_relative", accept_relative},
      {"accept_cycles", accept_cycles},
      {"sampling_budget_ms", sampling_budget.count()},
      {"round_slowdown", round_slowdown},
      {"accept_slowdown", accept_slowdown},
      {"patience_ms", patience.count()},
  };
  return json.dump();
}

}  // namespace assay

#include "harness/clock_output.h"

#include <fmt/format.h>

namespace assay {

std::span<const ClockChoice::Tried> better_clocks(const ClockChoice& choice) {
  const std::span tried(choice.tried);
  return tried.empty() ? tried : tried.first(tried.size() - 1);
}

nlohmann::ordered_json to_json(const ClockChoice& choice) {
  auto tried = nlohmann::ordered_json::array();
  for (const auto& [name, availability] : choice.tried) {
    tried.push_back({{"name", name},
                     {"works", availability.works},
                     {"why", availability.why},
                     {"remedy", availability.remedy}});
  }
  return {{"name", choice.name}, {"reading", name(choice.reading)}, {"tried", tried}};
}

std::string why_not_better(const ClockChoice& choice, std::string_view margin) {
  std::string text;
  for (const auto& [name, availability] : better_clocks(choice)) {
    text += fmt::format("{}not {}: {}\n", margin, name, availability.why);
  }
  return text;
}

}  // namespace assay

#include "harness/output/clock_output.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>

namespace assay {

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
  const auto better = choice.better();
  for (std::size_t i = 0; i < better.size(); ++i) {
    const ClockChoice::Tried& clock = better[i];
    const auto same = std::ranges::find_if(better.first(i), [&](const ClockChoice::Tried& other) {
      return clock.availability.why.find(other.availability.why) != std::string::npos;
    });
    text += same == better.begin() + static_cast<std::ptrdiff_t>(i)
                ? fmt::format("{}not {}: {}\n", margin, clock.name, clock.availability.why)
                : fmt::format("{}not {}: as {}\n", margin, clock.name, same->name);
  }
  return text;
}

}  // namespace assay

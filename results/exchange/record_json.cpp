#include "results/exchange/record_json.h"

#include <nlohmann/json.hpp>
#include <type_traits>
#include <variant>

#include "profiler/support/fields.h"

namespace assay {
namespace {

nlohmann::ordered_json to_json(const FieldValue& value) {
  return std::visit(
      [](const auto& held) -> nlohmann::ordered_json {
        if constexpr (std::is_same_v<decltype(held), const std::monostate&>) {
          return nullptr;
        } else {
          return held;
        }
      },
      value);
}

/// A JSON object with one key for each field.
template <Described T>
nlohmann::ordered_json object_of(const T& value) {
  auto json = nlohmann::ordered_json::object();
  for (const auto& [name, field] : fields_of(value)) json[std::string(name)] = to_json(field);
  return json;
}

nlohmann::ordered_json interval_json(double cycles, double half_width) {
  return {cycles - half_width, cycles + half_width};
}

}  // namespace

nlohmann::ordered_json to_json(std::span<const EventCount> events) {
  auto json = nlohmann::ordered_json::array();
  for (const EventCount& event : events) json.push_back(object_of(event));
  return json;
}

nlohmann::ordered_json to_json(std::span<const Mode> modes) {
  auto json = nlohmann::ordered_json::array();
  for (const Mode& mode : modes) {
    json.push_back({{"cycles", mode.cycles},
                    {"ci95", interval_json(mode.cycles, mode.half_width)},
                    {"visits", mode.visits},
                    {"share", mode.share}});
  }
  return json;
}

nlohmann::ordered_json to_json(std::span<const CodePlacement> placements) {
  auto json = nlohmann::ordered_json::array();
  for (const auto& [offset, cycles, half_width] : placements) {
    json.push_back(
        {{"offset", offset}, {"cycles", cycles}, {"ci95", interval_json(cycles, half_width)}});
  }
  return json;
}

nlohmann::ordered_json to_json(const SourceRecord& source) {
  nlohmann::ordered_json json = {{"corpus", source.corpus},
                                 {"line", source.line},
                                 {"frequency", nullptr},
                                 {"name", source.name},
                                 {"source", source.origin}};
  if (source.frequency) json["frequency"] = *source.frequency;
  return json;
}

nlohmann::ordered_json to_json(const Machine& machine) { return object_of(machine); }

nlohmann::ordered_json to_json(const Environment& environment) { return object_of(environment); }

nlohmann::ordered_json to_json(const Campaign& campaign) {
  return {{"id", static_cast<std::int64_t>(campaign.id)},
          {"started_at", campaign.started_at},
          {"program", campaign.program_version},
          {"machine", to_json(campaign.machine)},
          {"environment", to_json(campaign.environment)}};
}

nlohmann::ordered_json outcome_json(const Bytes& bytes, std::string_view text,
                                    const Measurement& measurement, std::string_view protocol,
                                    std::string_view clock) {
  nlohmann::ordered_json json = {
      {"hex", hex_from_bytes(bytes)}, {"text", text}, {"size", bytes.size()}};
  const auto& estimate = measurement.estimate;
  for (const auto& [name, value] : fields_of(measurement)) {
    if (name == "half_width") {  // the interval is printed in its place
      json["ci95"] = nullptr;
      if (estimate) json["ci95"] = interval_json(estimate->cycles, estimate->half_width);
    } else {
      json[std::string(name)] = to_json(value);
    }
  }
  json["protocol"] = protocol;
  json["clock"] = clock;
  json["events"] = to_json(measurement.events);
  json["modes"] = to_json(measurement.modes);
  json["placements"] = to_json(measurement.placements);
  return json;
}

}  // namespace assay

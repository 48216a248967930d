#include "results/exchange/record_json.h"

namespace assay {

std::vector<std::string_view> names_of(Traits traits) {
  std::vector<std::string_view> names;
  for (int i = 0; i < kTraits; ++i) {
    const auto trait = static_cast<Trait>(i);
    if (traits.has(trait)) names.push_back(name(trait));
  }
  return names;
}

nlohmann::ordered_json to_json(std::span<const EventCount> events) {
  auto json = nlohmann::ordered_json::array();
  for (const auto& [name, per_copy, half_width, overhead, validates, pass, pass_cycles] : events) {
    json.push_back({{"name", name},
                    {"per_copy", per_copy},
                    {"half_width", half_width},
                    {"overhead", overhead},
                    {"validates", validates},
                    {"pass", pass},
                    {"pass_cycles", pass_cycles}});
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

nlohmann::ordered_json to_json(const Machine& machine) {
  return {{"vendor", machine.vendor},     {"brand", machine.brand},
          {"family", machine.family},     {"model", machine.model},
          {"stepping", machine.stepping}, {"microarchitecture", machine.microarchitecture}};
}

nlohmann::ordered_json to_json(const Environment& environment) {
  return {{"kernel", environment.kernel},
          {"microcode", environment.microcode},
          {"hypervisor", environment.hypervisor},
          {"governor", environment.governor},
          {"smt", environment.smt},
          {"cores", environment.cores}};
}

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
      {"hex", hex_from_bytes(bytes)},
      {"text", text},
      {"size", bytes.size()},
      {"instructions", measurement.instructions},
      {"verdict", name(measurement.outcome.verdict())},
      {"reason", name(measurement.outcome.reason)},
      {"detail", measurement.outcome.detail},
      {"cycles", nullptr},
      {"ci95", nullptr},
      {"notion", name(measurement.notion)},
      {"protocol", protocol},
      {"initial_state", measurement.initial_state},
      {"traits", names_of(measurement.traits)},
      {"clock", clock},
      {"copies", measurement.copies},
      {"pages", measurement.pages},
      {"runs", measurement.timed.runs},
      {"dropped", measurement.timed.dropped},
      {"events", to_json(measurement.events)},
  };
  if (const auto& estimate = measurement.estimate; estimate && measurement.outcome.measured()) {
    json["cycles"] = estimate->cycles;
    json["ci95"] = {estimate->cycles - estimate->half_width,
                    estimate->cycles + estimate->half_width};
  }
  return json;
}

}  // namespace assay

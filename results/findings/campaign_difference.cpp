#include "results/findings/campaign_difference.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <set>

#include "profiler/support/error.h"
#include "results/exchange/record_json.h"

namespace assay {
namespace {

using Json = nlohmann::json;

Json settings_of(const Campaign& campaign) {
  const Json settings = Json::parse(campaign.settings, nullptr, /*allow_exceptions=*/false);
  if (settings.is_object()) return settings;
  throw InputError(fmt::format("the settings of campaign {} are damaged: they are no JSON object",
                               static_cast<std::int64_t>(campaign.id)));
}

std::string text_of(const Json* value) {
  if (value == nullptr) return "absent";
  return value->is_string() ? value->get<std::string>() : value->dump();
}

const Json* member(const Json& object, const std::string& name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

/// Adds the members in which two objects differ, also within nested objects, by name.
void add_differences(std::vector<CampaignDifference>& list, const std::string& prefix,
                     const Json& a, const Json& b) {
  std::set<std::string> names;
  for (const auto& [name, value] : a.items()) names.insert(name);
  for (const auto& [name, value] : b.items()) names.insert(name);
  for (const std::string& name : names) {
    const Json* in_a = member(a, name);
    const Json* in_b = member(b, name);
    if (in_a != nullptr && in_b != nullptr && in_a->is_object() && in_b->is_object()) {
      add_differences(list, prefix + name + ".", *in_a, *in_b);
    } else if (text_of(in_a) != text_of(in_b)) {
      list.push_back({prefix + name, text_of(in_a), text_of(in_b)});
    }
  }
}

}  // namespace

std::vector<CampaignDifference> differences(const Campaign& a, const Campaign& b) {
  std::vector<CampaignDifference> list;
  add_differences(list, "", to_json(a.machine), to_json(b.machine));
  add_differences(list, "", to_json(a.environment), to_json(b.environment));
  if (a.program_version != b.program_version) {
    list.push_back({"program", a.program_version, b.program_version});
  }
  add_differences(list, "settings.", settings_of(a), settings_of(b));
  return list;
}

}  // namespace assay

#include "harness/options/campaign_choice.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay {
namespace {

std::string list_of(const std::vector<Campaign>& campaigns) {
  std::string list;
  for (const Campaign& campaign : campaigns) {
    list +=
        fmt::format("\n  {:>3}  {}", static_cast<std::int64_t>(campaign.id), describe(campaign));
  }
  return list;
}

}  // namespace

std::string describe(const Campaign& campaign) {
  return fmt::format("{}, {} ({}), assay {}, protocol {}, clock {}", campaign.started_at,
                     campaign.machine.brand, campaign.machine.microarchitecture,
                     campaign.program_version, campaign.protocol, campaign.clock);
}

std::vector<Campaign> campaigns_of(Store& store, const std::string& path) {
  std::vector<Campaign> campaigns = store.campaigns();
  check_not_empty(path, campaigns);
  return campaigns;
}

Campaign chosen_campaign(Store& store, const std::string& path, std::optional<std::int64_t> id,
                         const std::string& option) {
  const std::vector<Campaign> campaigns = campaigns_of(store, path);
  if (!id && campaigns.size() == 1) return campaigns.front();
  if (!id) {
    throw InputError(fmt::format("{} holds {} campaigns: choose one with {} ID{}", path,
                                 campaigns.size(), option, list_of(campaigns)));
  }
  const auto found = std::ranges::find(campaigns, CampaignId{*id}, &Campaign::id);
  if (found != campaigns.end()) return *found;
  throw InputError(fmt::format("{} holds no campaign {}; there {}:{}", path, *id,
                               campaigns.size() == 1 ? "is" : "are", list_of(campaigns)));
}

std::optional<std::int64_t> campaign_option(const CommandLine::Values& values, const char* option) {
  if (!values.count(option)) return std::nullopt;
  return values[option].as<std::int64_t>();
}

std::optional<Notion> one_notion(const CommandLine::Values& values) {
  if (!values.count("notion")) return std::nullopt;
  const auto wanted = values["notion"].as<std::string>();
  if (const auto notion = named<Notion>(wanted)) return notion;
  throw UsageError(fmt::format("no notion '{}'; there are: unrolled, looped", wanted));
}

}  // namespace assay

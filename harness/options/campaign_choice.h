#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/command_line.h"
#include "results/store/store.h"

namespace assay {

/// A campaign in a line: when it started, on what, by which version of assay, protocol and clock.
std::string describe(const Campaign& campaign);

/// All campaigns of the store, of which there is at least one. Throws InputError if there is none;
/// `path` is for that message.
std::vector<Campaign> campaigns_of(Store& store, const std::string& path);

/// The campaign of that id; without one, the only one of the store. Throws InputError, which lists
/// the store's campaigns, if there is no such one or `option`, which names one, must choose.
Campaign chosen_campaign(Store& store, const std::string& path, std::optional<std::int64_t> id,
                         const std::string& option);

/// The number that the option gives; nothing if it was not given.
std::optional<std::int64_t> campaign_option(const CommandLine::Values& values, const char* option);

/// The one notion of --notion; nothing if it was not given. Throws UsageError.
std::optional<Notion> one_notion(const CommandLine::Values& values);

}  // namespace assay

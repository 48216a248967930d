#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/command_line.h"
#include "results/store/store.h"

namespace assay {

/// A campaign in one line: when it started, on which CPU, by which version of assay, with which
/// protocol and clock.
std::string describe(const Campaign& campaign);

/// All campaigns of the store. Throws InputError if there is none; `path` is for the message.
std::vector<Campaign> campaigns_of(Store& store, const std::string& path);

/// The store's campaign with this id or, without an id, its only campaign. Throws InputError, which
/// lists the store's campaigns, if there is none with this id, or if there are several and `option`
/// was not given to name one.
Campaign chosen_campaign(Store& store, const std::string& path, std::optional<std::int64_t> id,
                         const std::string& option);

/// The id of a campaign that the option gives; nothing if it was not given.
std::optional<std::int64_t> campaign_option(const CommandLine::Values& values, const char* option);

/// The notion that --notion names; nothing if it was not given. Throws UsageError.
std::optional<Notion> one_notion(const CommandLine::Values& values);

}  // namespace assay

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "profiler/measurement/settings.h"
#include "profiler/protocol/protocol.h"
#include "profiler/support/data_reach.h"

namespace assay {

/// The names of all protocols, `assay` first.
std::span<const std::string_view> protocol_names();

/// Makes the protocol that the settings name. `cache_size` is the size of the first-level
/// instruction cache, in bytes; `reach` is the core's. `settings` must outlive the protocol. Throws
/// InputError for a name that does not exist.
std::unique_ptr<Protocol> make_protocol(const Settings& settings, std::size_t cache_size,
                                        const DataReach& reach = {});

/// The settings that a protocol starts from, which a user may then change. BHive has some of its
/// own: its initial state, one frame, and no blocks that access memory across a cache line.
Settings default_settings(std::string_view protocol);

}  // namespace assay

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "profiler/measurement/settings.h"
#include "profiler/protocol/protocol.h"

namespace assay {

/// `assay` first.
std::span<const std::string_view> protocol_names();

/// The settings' protocol. `cache_size`: of the first-level instruction cache, in bytes. `settings`
/// must outlive it. Throws InputError for a name that does not exist.
std::unique_ptr<Protocol> make_protocol(const Settings& settings, std::size_t cache_size);

/// The settings that a protocol begins with, which others then change. BHive's own: its initial
/// state, one frame, and no block with an access across a cache line.
Settings default_settings(std::string_view protocol);

}  // namespace assay

#include "profiler/protocol/protocols.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "profiler/protocol/assay_protocol.h"
#include "profiler/protocol/fixed_protocol.h"
#include "profiler/support/error.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, 4> kProtocolNames = {"assay", "uica", "bhive", "nanobench"};

}  // namespace

std::span<const std::string_view> protocol_names() { return kProtocolNames; }

std::unique_ptr<Protocol> make_protocol(const Settings& settings, std::size_t cache_size,
                                        const DataReach& reach) {
  const auto fixed = [&](FixedRecipe recipe) {
    return std::make_unique<FixedProtocol>(std::move(recipe), settings, cache_size);
  };
  if (settings.protocol == "assay")
    return std::make_unique<AssayProtocol>(settings, cache_size, reach);
  if (settings.protocol == "uica") return fixed(uica_recipe());
  if (settings.protocol == "bhive") return fixed(bhive_recipe());
  if (settings.protocol == "nanobench") return fixed(nanobench_recipe(settings.nanobench));
  throw InputError(fmt::format("no protocol '{}'; there are: {}", settings.protocol,
                               fmt::join(protocol_names(), ", ")));
}

Settings default_settings(std::string_view protocol) {
  Settings settings;
  settings.protocol = protocol;
  if (protocol == "bhive") {
    settings.initial_state = "bhive";
    settings.state_overrides.frames = 1;
    settings.reject.add(Trait::kSplitLine);
  }
  return settings;
}

}  // namespace assay

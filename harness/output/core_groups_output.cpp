#include "harness/output/core_groups_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace assay {
namespace {

std::string slowdown_text(const Slowdown& slowdown) {
  return fmt::format("{:.1f} +- {:.1f} %", 100 * slowdown.share, 100 * slowdown.half_width);
}

/// The groups of several processors, or those of a single one, with their slowdowns.
struct Part {
  std::vector<std::string> groups;
  std::vector<Slowdown> slowdowns;
};

Part part_of(const CoreGroups& cores, bool together) {
  Part part;
  for (std::size_t i = 0; i < cores.groups.size(); ++i) {
    if ((cores.groups[i].size() > 1) != together) continue;
    part.groups.push_back(fmt::format("{}", fmt::join(cores.groups[i], "+")));
    part.slowdowns.push_back(cores.slowdowns.at(i));
  }
  return part;
}

}  // namespace

nlohmann::ordered_json to_json(const CoreGroups& cores) {
  auto groups = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < cores.groups.size(); ++i) {
    const Slowdown& slowdown = cores.slowdowns.at(i);
    groups.push_back({{"processors", cores.groups[i]},
                      {"sharing", name(slowdown.sharing)},
                      {"slowdown", slowdown.share},
                      {"half_width", slowdown.half_width}});
  }
  return {{"groups", groups}, {"unsure", cores.unsure}, {"one_of_each", one_of_each(cores)}};
}

std::string to_text(const CoreGroups& cores) {
  const Part together = part_of(cores, true);
  const Part alone = part_of(cores, false);
  std::vector<std::string> parts;
  if (!together.groups.empty()) {
    const Slowdown least = std::ranges::min(together.slowdowns, {}, &Slowdown::share);
    parts.push_back(fmt::format("{} (slowed by {} at least)", fmt::join(together.groups, ", "),
                                slowdown_text(least)));
  }
  if (!alone.groups.empty()) {
    const Slowdown most = std::ranges::max(alone.slowdowns, {}, &Slowdown::share);
    parts.push_back(fmt::format("none of {} (slowed by {} at most)", fmt::join(alone.groups, ", "),
                                slowdown_text(most)));
  }
  if (!cores.unsure.empty()) {
    parts.push_back(fmt::format(
        "could not tell for {} (taking the kernel's word); try again when the machine is quiet",
        fmt::join(cores.unsure, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace assay

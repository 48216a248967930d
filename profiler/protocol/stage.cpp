#include "profiler/protocol/stage.h"

#include <algorithm>
#include <array>

namespace assay {
namespace {

constexpr std::array<std::string_view, 6> kNames = {"decode", "plan",     "prepare",
                                                    "sample", "estimate", "judge"};

}  // namespace

std::string_view name(Stage stage) { return kNames.at(static_cast<std::size_t>(stage)); }

std::optional<Stage> stage_named(std::string_view wanted) {
  const auto found = std::ranges::find(kNames, wanted);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Stage>(found - kNames.begin());
}

}  // namespace assay

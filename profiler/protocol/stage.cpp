#include "profiler/protocol/stage.h"

#include <algorithm>
#include <array>

namespace assay {
namespace {

constexpr std::array<std::string_view, 6> kStageNames = {"decode", "plan",     "prepare",
                                                         "sample", "estimate", "judge"};

}  // namespace

std::string_view name(Stage stage) { return kStageNames.at(static_cast<std::size_t>(stage)); }

template <>
std::optional<Stage> named<Stage>(std::string_view wanted) {
  return value_named<Stage>(kStageNames, wanted);
}

}  // namespace assay

#pragma once

#include <optional>
#include <string_view>

#include "profiler/support/named.h"

namespace assay {

/// The stages from bytes to a verdict, in order; a measurement may be stopped after any of them.
enum class Stage { kDecode, kPlan, kPrepare, kSample, kEstimate, kJudge };
std::string_view name(Stage stage);
template <>
std::optional<Stage> named<Stage>(std::string_view name);

}  // namespace assay

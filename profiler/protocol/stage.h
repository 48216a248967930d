#pragma once

#include <optional>
#include <string_view>

namespace assay {

/// The steps from bytes to a verdict, in order; a measurement may be stopped after any of them.
enum class Stage { kDecode, kPlan, kPrepare, kSample, kEstimate, kJudge };
std::string_view name(Stage stage);
/// The stage of that name; nothing if there is none.
std::optional<Stage> stage_named(std::string_view name);

}  // namespace assay

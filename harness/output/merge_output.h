#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "results/exchange/merge.h"

namespace assay {

/// The result of a merge as the object of docs/formats.md: what came from which store, and how far
/// the corpora have come.
nlohmann::ordered_json to_json(const MergeResult& result, const MergeRequest& request);
std::string to_text(const MergeResult& result, const MergeRequest& request);

/// The message for a merge that was refused: what is not complete, and what to do about it.
std::string refusal(const MergeResult& result, const MergeRequest& request);

}  // namespace assay

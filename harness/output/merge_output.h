#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "results/exchange/merge.h"

namespace assay {

/// What `assay merge` prints (docs/formats.md): what came from where, and how far the corpora have
/// come.
nlohmann::ordered_json to_json(const MergeResult& result, const MergeRequest& request);
std::string to_text(const MergeResult& result, const MergeRequest& request);

/// What is not complete, so that nothing was merged, and what to do about it.
std::string refusal(const MergeResult& result, const MergeRequest& request);

}  // namespace assay

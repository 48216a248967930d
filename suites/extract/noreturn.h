#pragma once

#include <string_view>

namespace assay {

/// Whether a function of that name, mangled, is known never to return to its caller: what C and C++
/// run-time libraries have of the kind, and of other libraries the common ones.
bool never_returns(std::string_view name);

}  // namespace assay

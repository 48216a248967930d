#pragma once

#include <string_view>

namespace assay {

/// Whether a function with this mangled name is known never to return to its caller. Known are the
/// functions of C and C++ run-time libraries that never return, and the common ones of other
/// libraries.
bool never_returns(std::string_view name);

}  // namespace assay

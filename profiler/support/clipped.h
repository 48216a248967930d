#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace assay {

/// The text in double quotes, safe to print in a message whatever it holds. Bytes that are not
/// printable ASCII become \xNN, quotes and backslashes get a backslash in front of them, and only
/// the first kClippedLength bytes are kept, with "..." after the quotes if more were left out.
std::string clipped(std::string_view text);

inline constexpr std::size_t kClippedLength = 40;

}  // namespace assay

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace assay {

/// The text in double quotes, safe to print in a message whatever it holds: bytes that are no
/// printable ASCII as \xNN, quotes and backslashes with a backslash before them, and no more than
/// the first kClippedLength bytes, with "..." after the quotes where more were left out.
std::string clipped(std::string_view text);

inline constexpr std::size_t kClippedLength = 40;

}  // namespace assay

#pragma once

#include <cstddef>
#include <string_view>

namespace assay {

/// How many of the text's first bytes are UTF-8 (RFC 3629): all of them, or those before the first
/// character that is none.
std::size_t utf8_length(std::string_view text);

}  // namespace assay

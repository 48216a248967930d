#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace assay {

/// How many of the text's first bytes are valid UTF-8 (RFC 3629): all of them, or those before the
/// first invalid byte sequence.
std::size_t utf8_length(std::string_view text);

/// The text with U+FFFD in place of each byte that is not valid UTF-8.
std::string as_utf8(std::string_view text);

}  // namespace assay

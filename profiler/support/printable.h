#pragma once

#include <string>
#include <string_view>

namespace assay {

/// The text with every control character but line feed and tab as \xNN, so that nothing that a
/// store or a corpus holds is an order to the terminal: of ASCII, and those that UTF-8 writes as C2
/// 80 to C2 9F.
std::string printable(std::string_view text);

}  // namespace assay

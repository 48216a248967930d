#pragma once

#include <string>
#include <string_view>

namespace assay {

/// The text with every control character but line feed and tab as \xNN, so that nothing that a
/// store or a corpus holds is an order to the terminal: those of ASCII, those that UTF-8 writes as
/// C2 80 to C2 9F, and those by which Unicode ends a line or turns the direction of writing.
std::string printable(std::string_view text);

/// The same with line feeds and tabs too, for a name that is to stay within its line of a message
/// or its column of a table.
std::string printable_name(std::string_view name);

}  // namespace assay

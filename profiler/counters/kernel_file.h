#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace assay {

// Reads what the kernel says about itself in text files. No function fails: what cannot be read is
// empty.

/// The first line of the file, without blanks at its ends.
std::string first_line_of(const std::filesystem::path& path);

/// The value of the first line with the key in a file of lines "KEY : value", such as /proc/cpuinfo
/// and /proc/self/status.
std::string value_in(const std::filesystem::path& path, std::string_view key);

}  // namespace assay

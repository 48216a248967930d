#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace assay {

// What the kernel says of itself in files of text. Neither fails: what cannot be read is empty.

/// The first line, without the blanks around it.
std::string first_line_of(const std::filesystem::path& path);

/// In a file of lines "KEY : value", such as /proc/cpuinfo and /proc/self/status: the value of the
/// first line with that key.
std::string value_in(const std::filesystem::path& path, std::string_view key);

}  // namespace assay

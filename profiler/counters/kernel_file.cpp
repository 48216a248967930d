#include "profiler/counters/kernel_file.h"

#include <fstream>

#include "profiler/support/blanks.h"

namespace assay {

std::string first_line_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return std::string(trimmed(line));
}

std::string value_in(const std::filesystem::path& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string_view text = line;
    if (trimmed(text.substr(0, colon)) == key) return std::string(trimmed(text.substr(colon + 1)));
  }
  return "";
}

}  // namespace assay

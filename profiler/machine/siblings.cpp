#include "profiler/machine/siblings.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <string>

namespace assay {
namespace {

std::optional<int> number_in(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

}  // namespace

std::vector<int> processors_in(std::string_view list) {
  constexpr int kMost = 1 << 16;  // far more than any kernel supports; limits a malformed list
  std::vector<int> processors;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string_view range = list.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t dash = std::min(range.find('-'), range.size());
    const auto first = number_in(range.substr(0, dash));
    const auto last = dash == range.size() ? first : number_in(range.substr(dash + 1));
    if (!first || !last || *last >= kMost) return {};
    for (int i = *first; i <= *last; ++i) processors.push_back(i);
  }
  return processors;
}

std::vector<int> kernel_siblings(int processor, const std::filesystem::path& root) {
  const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(processor);
  std::ifstream file(root / folder / "topology/thread_siblings_list");
  std::string line;
  std::getline(file, line);
  const std::vector<int> siblings = processors_in(line);
  return siblings.empty() ? std::vector{processor} : siblings;
}

}  // namespace assay

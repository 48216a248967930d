#include "profiler/measurement/measurement.h"

#include <array>

namespace assay {
namespace {

constexpr std::array<std::string_view, 2> kNotionNames = {"unrolled", "looped"};

}  // namespace

std::string_view name(Notion notion) { return kNotionNames.at(static_cast<std::size_t>(notion)); }

template <>
std::optional<Notion> named<Notion>(std::string_view word) {
  return value_named<Notion>(kNotionNames, word);
}

}  // namespace assay

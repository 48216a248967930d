#include "suites/readers/corpus_format.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace assay {
namespace {

struct Format {
  std::string_view name;
  std::string_view shape;
};

/// The formats, in the order of CorpusFormat.
constexpr Format kFormats[] = {
    {"hex", "HEX"},
    {"bhive-frequency", "HEX,NUMBER"},
    {"bhive-throughput", "HEX,CYCLES"},
    {"bhive-category", "HEX,CATEGORY"},
    {"csv", "hex,weight,name"},
    {"jsonl", R"({"hex":"4801d8"})"},
    {"asm", "INSTRUCTION"},
    {"att", "INSTRUCTION"},
    {"asm-line", "INSTRUCTION; INSTRUCTION"},
    {"att-line", "INSTRUCTION; INSTRUCTION"},
    {"raw", "machine code"},
    {"store", "a store of results"},
};
static_assert(std::size(kFormats) == static_cast<std::size_t>(CorpusFormat::kStore) + 1);

constexpr auto kNames = [] {
  std::array<std::string_view, std::size(kFormats)> names;
  std::ranges::transform(kFormats, names.begin(), &Format::name);
  return names;
}();

}  // namespace

std::string_view name(CorpusFormat format) { return kNames[static_cast<std::size_t>(format)]; }

template <>
std::optional<CorpusFormat> named<CorpusFormat>(std::string_view name) {
  return value_named<CorpusFormat>(kNames, name);
}

std::span<const std::string_view> corpus_format_names() { return kNames; }

int columns(CorpusFormat format) {
  return format >= CorpusFormat::kBhiveFrequency && format <= CorpusFormat::kBhiveCategory ? 2 : 1;
}

std::string_view shape(CorpusFormat format) {
  return kFormats[static_cast<std::size_t>(format)].shape;
}

}  // namespace assay

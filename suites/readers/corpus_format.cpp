#include "suites/readers/corpus_format.h"

#include <algorithm>
#include <array>

namespace assay {
namespace {

constexpr std::array<std::string_view, 10> kNames = {
    "hex", "bhive-frequency", "bhive-throughput", "jsonl", "asm",
    "att", "asm-line",        "att-line",         "raw",   "store"};
constexpr std::array<std::string_view, 10> kShapes = {"HEX",
                                                      "HEX,NUMBER",
                                                      "HEX,CYCLES",
                                                      R"({"hex":"4801d8","weight":12})",
                                                      "INSTRUCTIONS",
                                                      "INSTRUCTIONS",
                                                      "INSTRUCTION; INSTRUCTION",
                                                      "INSTRUCTION; INSTRUCTION",
                                                      "machine code",
                                                      "a store of results"};
static_assert(kNames.size() == static_cast<std::size_t>(CorpusFormat::kStore) + 1);

}  // namespace

std::string_view name(CorpusFormat format) { return kNames[static_cast<std::size_t>(format)]; }

std::optional<CorpusFormat> corpus_format_named(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<CorpusFormat>(found - kNames.begin());
}

std::span<const std::string_view> corpus_format_names() { return kNames; }

int columns(CorpusFormat format) {
  const bool two =
      format == CorpusFormat::kBhiveFrequency || format == CorpusFormat::kBhiveThroughput;
  return two ? 2 : 1;
}

std::string_view shape(CorpusFormat format) { return kShapes[static_cast<std::size_t>(format)]; }

}  // namespace assay

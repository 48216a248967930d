#include "harness/options/corpus_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <limits>

namespace assay {

namespace po = boost::program_options;

void add_corpus_format_option(CommandLine& line) {
  line.add()(
      "corpus-format", po::value<std::string>()->value_name("FORMAT"),
      fmt::format("how the corpora are written, unless they leave no doubt: {} (docs/formats.md)",
                  fmt::join(corpus_format_names(), ", "))
          .c_str());
}

std::optional<CorpusFormat> corpus_format_option(const CommandLine::Values& values) {
  if (!values.count("corpus-format")) return std::nullopt;
  const std::string wanted = values["corpus-format"].as<std::string>();
  if (const auto format = named<CorpusFormat>(wanted)) return format;
  throw UsageError(fmt::format("no corpus format '{}'; there are: {}", wanted,
                               fmt::join(corpus_format_names(), ", ")));
}

SuiteInput suite_input(const CommandLine::Values& values) {
  SuiteInput input{words_of(values), corpus_format_option(values)};
  if (input.corpora.empty()) throw UsageError("no corpus given");
  if (input.corpora.size() > std::numeric_limits<std::uint16_t>::max()) {
    throw UsageError("too many corpora in one call");
  }
  return input;
}

}  // namespace assay

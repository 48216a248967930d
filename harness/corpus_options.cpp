#include "harness/corpus_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
  if (const auto format = corpus_format_named(wanted)) return format;
  throw UsageError(fmt::format("no corpus format '{}'; there are: {}", wanted,
                               fmt::join(corpus_format_names(), ", ")));
}

void BadLineReport::add(const std::string& text) {
  constexpr int kTold = 20;
  if (++count_ <= kTold) tell_(fmt::format("{}: {}", command_, text));
  if (count_ == kTold) tell_(fmt::format("{}: further bad lines are only counted", command_));
}

}  // namespace assay

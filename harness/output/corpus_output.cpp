#include "harness/output/corpus_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "harness/output/output_file.h"

namespace assay {
namespace {

namespace po = boost::program_options;

constexpr std::int64_t kBetweenQuestions = 4096;

std::vector<std::string_view> written_names() {
  std::vector<std::string_view> names;
  for (const CorpusFormat format : kWrittenFormats) names.push_back(name(format));
  return names;
}

}  // namespace

void add_corpus_output_options(CommandLine& line) {
  line.add()("out", po::value<std::string>()->value_name("FILE")->default_value("-"),
             "the corpus, written whole or not at all; '-' is standard output");
  const std::string formats =
      fmt::format("of the corpus: {} (docs/formats.md)", fmt::join(written_names(), ", "));
  line.add()("format", po::value<std::string>()->value_name("FORMAT")->default_value("jsonl"),
             formats.c_str());
}

CorpusOutput corpus_output_from(const CommandLine::Values& values) {
  const auto wanted = values["format"].as<std::string>();
  const auto format = named<CorpusFormat>(wanted);
  if (!format || std::ranges::find(kWrittenFormats, *format) == kWrittenFormats.end()) {
    throw UsageError(fmt::format("corpora are not written in a format '{}'; there are: {}", wanted,
                                 fmt::join(written_names(), ", ")));
  }
  return {values["out"].as<std::string>(), *format};
}

bool write_corpus(const CorpusOutput& output, const CorpusAbout& about, const BlockSet& blocks,
                  const std::function<bool()>& goes_on) {
  OutputFile out(output.path);
  out.write(corpus_header(output.format, about));
  std::int64_t written = 0;
  const bool finished = blocks.for_each([&](const CorpusEntry& entry) {
    out.write(corpus_line(output.format, entry));
    return ++written % kBetweenQuestions != 0 || goes_on();
  });
  if (finished) out.finish();
  return finished;
}

}  // namespace assay

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>

#include "harness/campaign/seen_blocks.h"
#include "harness/command_line.h"
#include "harness/commands/subcommands.h"
#include "harness/commands/suite_reading.h"
#include "harness/options/corpus_options.h"
#include "harness/output/block_listing.h"
#include "harness/output/census_output.h"
#include "harness/output/json_text.h"
#include "harness/output/output_file.h"
#include "harness/subcommand.h"
#include "profiler/machine/instruction_support.h"
#include "profiler/support/version.h"
#include "suites/block_hash.h"

namespace assay {
namespace {

namespace po = boost::program_options;

constexpr const char* kShowCommand = "assay suite show";

struct ShowRequest {
  SuiteInput input;
  bool blocks = true;  ///< whether to print each block
  bool json = false;
  std::optional<std::int64_t> limit;
};

CommandLine suite_show_options() {
  CommandLine line("assay suite show CORPUS... [options]",
                   "Prints every block of the corpora, and counts them: by what their code shows, "
                   "instruction set\nextensions, memory use and length (docs/suites.md). "
                   "Nothing is run. '-' reads standard input.");
  line.take_words();
  add_corpus_format_option(line);
  line.add()("summary", "only the counts");
  line.add()("limit", po::value<std::int64_t>()->value_name("N"),
             "only the first N lines with a block");
  line.add()("json", "only the counts, as one JSON object (docs/formats.md)");
  return line;
}

ShowRequest suite_show_request(const CommandLine::Values& values) {
  ShowRequest request;
  request.input = suite_input(values);
  request.json = values.count("json") > 0;
  request.blocks = !request.json && values.count("summary") == 0;
  if (values.count("limit")) {
    request.limit = values["limit"].as<std::int64_t>();
    if (*request.limit < 1) throw UsageError("--limit must be at least 1");
  }
  return request;
}

/// Counts the blocks, and prints each of them if the request says so.
Census show_blocks(const ShowRequest& request, OutputFile& out) {
  Census census;
  SeenBlocks seen;
  const auto take = [&](CorpusEntry&& entry, const EntryCorpus& from) {
    const BlockFacts facts = facts_of(entry.bytes, instruction_support());
    const bool is_new = seen.add(stable_hash(entry), from.number).new_to_all;
    census.add(facts, entry.bytes.size(), entry.frequency, is_new);
    if (request.blocks) {
      out.write(listing(entry, facts, std::filesystem::path(from.corpus).filename().string()));
    }
    return !request.limit || census.lines < *request.limit;
  };
  census.bad_lines = read_suite(request.input, kShowCommand, take);
  return census;
}

std::string json_line(const ShowRequest& request, const Census& census) {
  nlohmann::ordered_json json = {{"format", "assay-suite"},
                                 {"version", 1},
                                 {"program", program_version()},
                                 {"corpora", request.input.corpora}};
  json.update(to_json(census));
  return json_text(json) + '\n';
}

int show(const ShowRequest& request) {
  OutputFile out("-");
  const Census census = show_blocks(request, out);
  if (census.lines == 0) {
    std::fputs(
        fmt::format("{}: no blocks in {}\n", kShowCommand, fmt::join(request.input.corpora, ", "))
            .c_str(),
        stderr);
    if (!request.json) return kNothingMeasured;
  }
  out.write(request.json ? json_line(request, census) : to_text(census));
  out.finish();
  return census.lines == 0 ? kNothingMeasured : kDone;
}

}  // namespace

int run_suite_show(const std::vector<std::string>& arguments) {
  const auto values = suite_show_options().parse(arguments);
  if (!values) return kDone;
  const ShowRequest request = suite_show_request(*values);
  return with_output([&] { return show(request); });
}

}  // namespace assay

#include <fmt/format.h>

#include "harness/campaign/interrupt.h"
#include "harness/command_line.h"
#include "harness/commands/subcommands.h"
#include "harness/options/form_options.h"
#include "harness/output/corpus_output.h"
#include "harness/output/output_file.h"
#include "harness/subcommand.h"
#include "profiler/support/counted.h"
#include "profiler/support/number.h"
#include "profiler/support/version.h"
#include "suites/generate/random_blocks.h"
#include "suites/readers/corpus_writer.h"

namespace assay {
namespace {

namespace po = boost::program_options;

constexpr int kLongestBlock = 1000;  ///< in instructions; of 15 bytes each, below kLargestBlock
constexpr std::uint64_t kMostBlocks = 100'000'000;

struct RandomRequest {
  FormFilter filter;
  RandomBlockRequest blocks;
  std::uint64_t count = 0;
  CorpusAbout about;
  CorpusOutput output;
};

CommandLine suite_random_options() {
  CommandLine line("assay suite random --seed N --count M [--length A..B] [options]",
                   "Makes blocks of instructions that are drawn at random from the forms that this "
                   "CPU has. The same seed,\noptions and version of assay give the same blocks, on "
                   "every machine with the same instruction sets.");
  line.add()("seed", po::value<std::string>()->value_name("N"), "a number: which blocks are drawn");
  line.add()("count", po::value<std::string>()->value_name("M"), "how many blocks");
  line.add()("length", po::value<std::string>()->value_name("A..B")->default_value("1..10"),
             "instructions of a block: a range, or one number");
  line.add()("memory", po::value<std::string>()->value_name("WHICH")->default_value("some"),
             "none: no instruction accesses memory; some: any may; only: all do");
  line.add()("aliasing", po::value<std::string>()->value_name("yes|no")->default_value("no"),
             "whether memory operands meet, through several registers and displacements, or each "
             "has a line of its own");
  add_form_options(line);
  add_corpus_output_options(line);
  return line;
}

std::uint64_t number_from(const CommandLine::Values& values, const char* name) {
  if (!values.count(name)) throw UsageError(fmt::format("--{} is missing: name a number", name));
  const auto text = values[name].as<std::string>();
  const auto number = parse_number(text);
  if (!number)
    throw UsageError(fmt::format("--{} {}: must be a whole number from 0 to 2^64 - 1", name, text));
  return *number;
}

int length_from(const std::string& text, std::string_view part) {
  const auto number = parse_number(part);
  if (!number || *number < 1 || *number > kLongestBlock) {
    throw UsageError(
        fmt::format("--length {}: must be a number, or a range such as 1..10, between 1 and {}",
                    text, kLongestBlock));
  }
  return static_cast<int>(*number);
}

void set_length(const std::string& text, RandomBlockRequest& request) {
  const std::size_t dots = text.find("..");
  const std::string_view view(text);
  request.shortest = length_from(text, view.substr(0, dots));
  request.longest =
      dots == std::string::npos ? request.shortest : length_from(text, view.substr(dots + 2));
  if (request.longest < request.shortest) {
    throw UsageError(fmt::format("--length {}: the range ends before it begins", text));
  }
}

void set_memory(const CommandLine::Values& values, RandomBlockRequest& request) {
  const auto wanted = values["memory"].as<std::string>();
  const auto memory = named<RandomMemory>(wanted);
  if (!memory) {
    throw UsageError(fmt::format("--memory must be none, some or only, not '{}'", wanted));
  }
  request.memory = *memory;
  const auto aliasing = values["aliasing"].as<std::string>();
  if (aliasing != "yes" && aliasing != "no") {
    throw UsageError(fmt::format("--aliasing must be yes or no, not '{}'", aliasing));
  }
  request.aliasing = aliasing == "yes";
}

RandomRequest suite_random_request(const CommandLine::Values& values) {
  RandomRequest request;
  request.filter = form_filter_from(values);
  request.blocks.seed = number_from(values, "seed");
  request.count = number_from(values, "count");
  if (request.count < 1 || request.count > kMostBlocks) {
    throw UsageError(
        fmt::format("--count must be from 1 to {}, not {}", kMostBlocks, request.count));
  }
  set_length(values["length"].as<std::string>(), request.blocks);
  set_memory(values, request.blocks);
  request.output = corpus_output_from(values);
  request.about = {std::string(program_version()), "random blocks", form_facts(values)};
  for (const char* name : {"seed", "count", "length", "memory", "aliasing"}) {
    request.about.facts.emplace_back(name, values[name].as<std::string>());
  }
  return request;
}

int write_blocks(const RandomRequest& request) {
  OutputFile out(request.output.path);
  const RandomBlocks blocks(choose_forms(request.filter, [](const Skipped&) {}), request.blocks);
  out.write(corpus_header(request.output.format, request.about));
  for (std::uint64_t i = 0; i < request.count; ++i) {
    if (const int signal = InterruptGuard::signal(); signal != 0) return 128 + signal;
    out.write(corpus_line(request.output.format, blocks.block(i)));
  }
  out.finish();
  fmt::print(stderr, "assay suite random: {}, drawn from {}\n", counted(request.count, "block"),
             counted(blocks.forms(), "form"));
  return kDone;
}

}  // namespace

int run_suite_random(const std::vector<std::string>& arguments) {
  const auto values = suite_random_options().parse(arguments);
  if (!values) return kDone;
  const RandomRequest request = suite_random_request(*values);
  return with_output([&] { return write_blocks(request); });
}

}  // namespace assay

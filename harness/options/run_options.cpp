#include "harness/options/run_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/options/counter_options.h"
#include "harness/options/protocol_options.h"
#include "harness/options/state_options.h"
#include "profiler/machine/processor.h"
#include "profiler/subject/layout.h"

namespace assay {
namespace {

namespace po = boost::program_options;

int in_range(const CommandLine::Values& values, const char* name, int least, int most) {
  const int value = values[name].as<int>();
  if (value < least || value > most) {
    throw UsageError(fmt::format("--{} must be from {} to {}, not {}", name, least, most, value));
  }
  return value;
}

LoopEndChoice loop_end_from(const std::string& text) {
  if (const auto choice = named<LoopEndChoice>(text)) return *choice;
  throw UsageError(fmt::format("no loop end '{}'; there are: {}", text,
                               fmt::join(loop_end_choice_names(), ", ")));
}

constexpr const char* kNone = "none";  // stands for an empty list of traits

std::vector<std::string_view> trait_names() {
  std::vector<std::string_view> names;
  for (int i = 0; i < kTraits; ++i) names.push_back(name(static_cast<Trait>(i)));
  return names;
}

Traits rejected_traits(const std::string& list) {
  if (list == kNone) return {};
  const auto traits = named<Traits>(list);
  if (traits && !traits->empty()) return *traits;
  throw UsageError(
      fmt::format("--reject: '{}' is not '{}' nor a list of traits with commas between; there are: "
                  "{}",
                  list, kNone, fmt::join(trait_names(), ", ")));
}

}  // namespace

void add_run_options(CommandLine& line) {
  const Settings defaults;
  line.add()("cpu", po::value<int>()->value_name("N"),
             "the one logical processor to run on (measure: by default the last that may be used)");
  line.add()("page-limit", po::value<int>()->value_name("N")->default_value(defaults.page_limit),
             "pages that one block may touch");
  line.add()("time-limit",
             po::value<int>()->value_name("MS")->default_value(
                 static_cast<int>(defaults.time_limit.count())),
             "milliseconds of processor time that a series of runs may take");
  line.add()("budget",
             po::value<int>()->value_name("MS")->default_value(
                 static_cast<int>(defaults.sampling_budget.count())),
             "milliseconds to spend on sampling in the first visit to a block; later visits may "
             "spend more");
  line.add()("loop-min-instructions",
             po::value<int>()->value_name("N")->default_value(defaults.loop_min_instructions),
             "repeat the block within a loop's body until it has N instructions, 1 to 100; 5 gives "
             "the form that is called loop-5");
  line.add()("loop-end",
             po::value<std::string>()->value_name("END")->default_value(
                 std::string(name(defaults.loop_end))),
             fmt::format("how the loop over a block that ends in a branch is to end "
                         "(docs/measuring.md): {}",
                         fmt::join(loop_end_choice_names(), ", "))
                 .c_str());
  line.add()("align", po::value<int>()->value_name("N")->default_value(defaults.loop_alignment),
             "address of a loop's first instruction modulo 64: 0 to 63");
  line.add()(
      "reject",
      po::value<std::string>()->value_name("LIST")->default_value(to_string(defaults.reject)),
      fmt::format("traits for which a block gets no number, with commas between, or {}: {} "
                  "(docs/verdicts.md)",
                  kNone, fmt::join(trait_names(), ", "))
          .c_str());
  add_counter_options(line);
  add_protocol_options(line);
  add_state_options(line);
}

void add_patience_option(CommandLine& line) {
  line.add()(
      "patience", po::value<int>()->value_name("SECONDS")->default_value(30),
      "how long to go on visiting blocks again that have no number because of the moment, if "
      "that settles none of them");
}

std::chrono::seconds run_patience(const CommandLine::Values& values) {
  constexpr int kMost = 7 * 24 * 3600;
  return std::chrono::seconds(in_range(values, "patience", 0, kMost));
}

Settings run_settings(const CommandLine::Values& values) {
  Settings settings = protocol_settings(values);
  settings.page_limit = in_range(values, "page-limit", 1, subject::kMaxPages);
  // 150 ms is the most for which readings stay below 2^32: see Settings::time_limit.
  settings.time_limit = std::chrono::milliseconds(in_range(values, "time-limit", 1, 150));
  settings.sampling_budget = std::chrono::milliseconds(in_range(values, "budget", 1, 60'000));
  settings.loop_min_instructions = in_range(values, "loop-min-instructions", 1, 100);
  settings.loop_end = loop_end_from(values["loop-end"].as<std::string>());
  settings.loop_alignment = in_range(values, "align", 0, 63);
  // Some protocols have another default for --reject.
  if (!values["reject"].defaulted()) {
    settings.reject = rejected_traits(values["reject"].as<std::string>());
  }
  read_counter_options(values, settings);
  read_state_options(values, settings);
  return settings;
}

void add_notion_option(CommandLine& line) {
  line.add()("notion", po::value<std::string>()->value_name("NOTION")->default_value("unrolled"),
             "how copies follow each other: unrolled (in a row), looped, or both");
}

std::vector<Notion> run_notions(const CommandLine::Values& values) {
  const std::string wanted = values["notion"].as<std::string>();
  if (wanted == "both") return {Notion::kUnrolled, Notion::kLooped};
  if (const auto notion = named<Notion>(wanted)) return {*notion};
  throw UsageError(fmt::format("no notion '{}'; there are: unrolled, looped, both", wanted));
}

int run_processor(const CommandLine::Values& values) {
  return values.count("cpu") ? values["cpu"].as<int>() : allowed_processors().back();
}

}  // namespace assay

#include "harness/run_options.h"

#include <fmt/format.h>

#include "harness/state_options.h"
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

}  // namespace

void add_run_options(CommandLine& line) {
  const Settings defaults;
  line.add()("cpu", po::value<int>()->value_name("N"),
             "logical processor to run on (default: the last one that may be used)");
  line.add()("page-limit", po::value<int>()->value_name("N")->default_value(defaults.page_limit),
             "pages that one block may touch");
  line.add()("time-limit",
             po::value<int>()->value_name("MS")->default_value(
                 static_cast<int>(defaults.time_limit.count())),
             "milliseconds of processor time that a series of runs may take");
  line.add()("budget",
             po::value<int>()->value_name("MS")->default_value(
                 static_cast<int>(defaults.sampling_budget.count())),
             "milliseconds to spend on sampling one block at most");
  add_state_options(line);
}

Settings run_settings(const CommandLine::Values& values) {
  Settings settings;
  settings.page_limit = in_range(values, "page-limit", 1, subject::kMaxPages);
  settings.time_limit = std::chrono::milliseconds(in_range(values, "time-limit", 1, 500));
  settings.sampling_budget = std::chrono::milliseconds(in_range(values, "budget", 1, 60'000));
  read_state_options(values, settings);
  return settings;
}

int run_processor(const CommandLine::Values& values) {
  return values.count("cpu") ? values["cpu"].as<int>() : allowed_processors().back();
}

}  // namespace assay

#include "harness/options/worker_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "harness/options/run_options.h"
#include "profiler/cores/core_groups.h"
#include "profiler/machine/processor.h"

namespace assay {
namespace {

namespace po = boost::program_options;

constexpr const char* kAutoJobs = "auto";
constexpr std::chrono::seconds kStallLimit{60};
/// How many sampling budgets a visit to a block may take: it may be sampled under a few initial
/// states and at a few sizes, each time for a whole budget, which is up to 4 times that of a first
/// visit.
constexpr int kBudgetsOfABlock = 200;

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

/// One processor of each group that disturb each other. The highest numbers come first, since the
/// lowest ones get most of a machine's interrupts.
std::vector<int> worthwhile_processors() {
  std::vector<int> processors = one_of_each(find_core_groups(allowed_processors()));
  std::ranges::reverse(processors);
  return processors;
}

std::vector<int> first_processors(const std::string& jobs) {
  std::vector<int> processors = worthwhile_processors();
  if (jobs == kAutoJobs) return processors;
  const auto count = whole_number(jobs);
  if (!count || *count < 1) {
    throw UsageError(
        fmt::format("--jobs is a number of workers, at least 1, or {}, not '{}'", kAutoJobs, jobs));
  }
  if (static_cast<std::size_t>(*count) > processors.size()) {
    throw UsageError(fmt::format(
        "--jobs {} is too many: processors that may be used here and do not disturb each other: {} "
        "(of all that may be used: {}); --cpus takes any of those",
        *count, fmt::join(processors, ", "), fmt::join(allowed_processors(), ", ")));
  }
  processors.resize(static_cast<std::size_t>(*count));
  return processors;
}

std::vector<int> named_processors(std::string_view list) {
  const std::vector<int> allowed = allowed_processors();
  std::vector<int> processors;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string_view word = list.substr(begin, end - begin);
    const auto processor = whole_number(word);
    if (!processor) {
      throw UsageError(
          fmt::format("--cpus: '{}' is no list of processors' numbers with commas between", list));
    }
    if (std::ranges::find(allowed, *processor) == allowed.end()) {
      throw UsageError(fmt::format("--cpus: processor {} may not be used here; these may: {}",
                                   *processor, fmt::join(allowed, ", ")));
    }
    if (std::ranges::find(processors, *processor) != processors.end()) {
      throw UsageError(fmt::format("--cpus: processor {} is named twice", *processor));
    }
    processors.push_back(*processor);
    begin = end + 1;
  }
  return processors;
}

}  // namespace

void add_worker_options(CommandLine& line) {
  line.add()("jobs", po::value<std::string>()->value_name("N")->default_value(kAutoJobs),
             "how many blocks to measure at a time, each on a processor of its own; auto takes all "
             "that do not disturb each other");
  line.add()("cpus", po::value<std::string>()->value_name("LIST"),
             "the logical processors to run on, in place of --jobs, with commas between");
  line.add()("stall-limit", po::value<int>()->value_name("SECONDS"),
             "for how long a worker may give no sign of life until it is replaced (default: 60, or "
             "200 times the budget if that is more)");
}

std::vector<int> worker_processors(const CommandLine::Values& values) {
  const int ways = (values.count("cpu") > 0) + (values.count("cpus") > 0) +
                   (values.count("jobs") > 0 && !values["jobs"].defaulted());
  if (ways > 1) throw UsageError("--cpu, --cpus and --jobs exclude each other");
  if (values.count("cpu")) return {run_processor(values)};
  if (values.count("cpus")) return named_processors(values["cpus"].as<std::string>());
  return first_processors(values["jobs"].as<std::string>());
}

std::chrono::nanoseconds stall_limit(const CommandLine::Values& values, const Settings& settings) {
  if (!values.count("stall-limit")) {
    return std::max<std::chrono::nanoseconds>(kStallLimit,
                                              kBudgetsOfABlock * settings.sampling_budget);
  }
  const std::chrono::seconds limit(values["stall-limit"].as<int>());
  if (limit.count() < 1) throw UsageError("--stall-limit must be at least 1");
  return limit;
}

}  // namespace assay

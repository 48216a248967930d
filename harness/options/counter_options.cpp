#include "harness/options/counter_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "profiler/counters/backend.h"
#include "profiler/counters/event_list.h"

namespace assay {
namespace {

namespace po = boost::program_options;

constexpr const char* kAutoClock = "auto";

bool is_on(const std::string& text) {
  if (text == "on" || text == "off") return text == "on";
  throw UsageError(fmt::format("--validation is on or off, not '{}'", text));
}

}  // namespace

void add_counter_options(CommandLine& line) {
  line.add()("clock", po::value<std::string>()->value_name("NAME")->default_value(kAutoClock),
             fmt::format("what cycles are counted by (docs/counters.md): {}; {} takes the first "
                         "that works here",
                         fmt::join(backend_names(), ", "), kAutoClock)
                 .c_str());
  line.add()("events", po::value<std::string>()->value_name("LIST|FILE"),
             "events to count beside the clock: names with commas between, or a file of them; "
             "needs a clock that counts events, perf or papi");
  line.add()("validation", po::value<std::string>()->value_name("on|off")->default_value("on"),
             "whether events that no block may cause, such as cache misses, are counted and reject "
             "it, where clock and CPU allow it");
}

void read_counter_options(const CommandLine::Values& values, Settings& settings) {
  if (values.count("events")) settings.events = read_events(values["events"].as<std::string>());
  settings.validation = is_on(values["validation"].as<std::string>());
}

std::string wanted_clock(const CommandLine::Values& values) {
  auto wanted = values["clock"].as<std::string>();
  if (wanted == kAutoClock || std::ranges::find(backend_names(), wanted) != backend_names().end()) {
    return wanted;
  }
  throw UsageError(fmt::format("no clock '{}'; there are: {}, {}", wanted, kAutoClock,
                               fmt::join(backend_names(), ", ")));
}

}  // namespace assay

#include "harness/options/protocol_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "profiler/protocol/fixed_recipe.h"
#include "profiler/protocol/protocols.h"

namespace assay {
namespace {

namespace po = boost::program_options;

struct Number {
  const char* option;
  int NanobenchOptions::*value;
  int least, most;
  const char* what;
};

// The options that are numbers. There are at most as many warm-ups as one round of a series has
// room for, and at most as many iterations and copies as a run can make within the time limit.
constexpr Number kNumbers[] = {
    {"unroll", &NanobenchOptions::unroll, 1, 100'000, "copies of the block in a row"},
    {"loop", &NanobenchOptions::loop, 0, 10'000'000,
     "iterations of a loop over them, with --notion looped or both; 0: no such loop"},
    {"warm-up", &NanobenchOptions::warm_up, 0, kMostWarmUps, "runs before each that counts"},
    {"runs", &NanobenchOptions::runs, 1, 100'000, "runs of each size"},
};

/// Refuses an option that only the protocol `owner` has.
void refuse_option_of(const char* owner, const CommandLine::Values& values, const char* option) {
  if (values.count(option) == 0 || values[option].defaulted()) return;
  throw UsageError(fmt::format("--{} is an option of --protocol {}", option, owner));
}

int number_from(const CommandLine::Values& values, const Number& number) {
  const int value = values[number.option].as<int>();
  if (value < number.least || value > number.most) {
    throw UsageError(fmt::format("--{} must be from {} to {}, not {}", number.option, number.least,
                                 number.most, value));
  }
  return value;
}

Aggregate aggregate_from(const std::string& text) {
  if (const auto found = named<Aggregate>(text)) return *found;
  throw UsageError(
      fmt::format("no aggregate '{}'; there are: {}", text, fmt::join(aggregate_names(), ", ")));
}

}  // namespace

void add_protocol_options(CommandLine& line) {
  const Settings defaults;
  line.add()("protocol",
             po::value<std::string>()->value_name("NAME")->default_value(defaults.protocol),
             fmt::format("how a value comes about (docs/measuring.md): {}",
                         fmt::join(protocol_names(), ", "))
                 .c_str());
  for (const Number& number : kNumbers) {
    line.add()(number.option,
               po::value<int>()->value_name("N")->default_value(defaults.nanobench.*number.value),
               fmt::format("nanobench: {}", number.what).c_str());
  }
  line.add()("aggregate",
             po::value<std::string>()->value_name("NAME")->default_value(
                 std::string(name(defaults.nanobench.aggregate))),
             fmt::format("nanobench: what the runs of a size become: {}",
                         fmt::join(aggregate_names(), ", "))
                 .c_str());
}

Settings protocol_settings(const CommandLine::Values& values) {
  const auto protocol = values["protocol"].as<std::string>();
  if (std::ranges::find(protocol_names(), protocol) == protocol_names().end()) {
    throw UsageError(fmt::format("no protocol '{}'; there are: {}", protocol,
                                 fmt::join(protocol_names(), ", ")));
  }
  Settings settings = default_settings(protocol);
  if (protocol != "assay") {
    for (const char* option : {"loop-end", "align"}) refuse_option_of("assay", values, option);
  }
  if (protocol != "nanobench") {
    for (const Number& number : kNumbers) refuse_option_of("nanobench", values, number.option);
    refuse_option_of("nanobench", values, "aggregate");
    return settings;
  }
  for (const Number& number : kNumbers) {
    settings.nanobench.*number.value = number_from(values, number);
  }
  if (settings.nanobench.loop > 0 && values.count("notion") &&
      values["notion"].as<std::string>() == "unrolled") {
    throw UsageError("--loop needs --notion looped or both");
  }
  settings.nanobench.aggregate = aggregate_from(values["aggregate"].as<std::string>());
  return settings;
}

}  // namespace assay

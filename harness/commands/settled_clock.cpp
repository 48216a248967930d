#include "harness/commands/settled_clock.h"

#include "harness/options/counter_options.h"

namespace assay {

ClockChoice settle_clock(const CommandLine::Values& values, int processor, Settings& settings) {
  ClockChoice choice = choose_clock(wanted_clock(values), processor);
  check_events(choice, settings.events);
  settings.clock = choice.name;
  settings.clock_reading = name(choice.reading);
  return choice;
}

void check_events(const ClockChoice& clock, std::span<const EventRequest> events) {
  if (events.empty() || clock.name != "tsc") return;
  const auto better = clock.better();
  if (better.empty()) {
    throw InputError(
        "--events: the clock tsc counts no events: use --clock perf or --clock papi, or leave "
        "--events out");
  }
  std::string why;
  for (const ClockChoice::Tried& tried : better) why += "\n  " + describe(tried);
  throw EnvironmentError(
      "--events: only the clock tsc can be used here, which counts no events: leave "
      "--events out, or see to one of those that do:" +
      why);
}

}  // namespace assay

#include "profiler/counting/clock_choice.h"

#include <fmt/format.h>

#include "profiler/counting/self_test.h"
#include "profiler/machine/processor.h"

namespace assay {
namespace {

ClockChoice choose_best(int processor) {
  ClockChoice choice;
  std::string all;
  for (const std::string_view name : backend_names()) {
    const auto backend = backend_named(name);
    choice.tried.push_back({std::string(name), try_backend(*backend, processor)});
    choice.name = name;
    if (choice.tried.back().availability.works) {
      choice.reading = reading_of(*backend, processor);
      return choice;
    }
    all += "\n  " + describe(choice.tried.back());
  }
  throw EnvironmentError("no clock can be used here:" + all);
}

}  // namespace

std::string describe(const ClockChoice::Tried& tried) {
  return fmt::format("{}: {}", tried.name, describe(tried.availability));
}

Availability try_backend(CounterBackend& backend, int processor) {
  pin_to_processor(processor);
  Availability availability = backend.probe(processor);
  if (!availability.works) return availability;
  try {
    if (const auto wrong = self_test(backend, processor)) {
      return {false, "it failed its self-test: " + *wrong,
              "its numbers would be wrong; use another clock, and report this with the output of "
              "assay doctor --json"};
    }
  } catch (const EnvironmentError& error) {
    return {false, fmt::format("its self-test could not be run: {}", error.what()), ""};
  } catch (const InputError& error) {
    return {false, fmt::format("its self-test could not be run: {}", error.what()), ""};
  }
  return availability;
}

ReadMethod reading_of(CounterBackend& backend, int processor) {
  const subject::Subject subject;
  return backend.open(subject.pid(), processor, {}).front()->method();
}

ClockChoice choose_clock(std::string_view wanted, int processor) {
  if (wanted == "auto") return choose_best(processor);
  const auto backend = backend_named(wanted);
  ClockChoice choice;
  choice.name = wanted;
  choice.tried.push_back({choice.name, try_backend(*backend, processor)});
  if (choice.tried.front().availability.works) {
    choice.reading = reading_of(*backend, processor);
    return choice;
  }
  throw EnvironmentError("the clock cannot be used here: " + describe(choice.tried.front()));
}

}  // namespace assay

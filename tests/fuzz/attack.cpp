#include "tests/fuzz/attack.h"

#include <fmt/format.h>

#include <algorithm>

#include "profiler/block/text.h"
#include "tests/fuzz/invariants.h"

namespace assay::fuzz {
namespace {

using std::chrono::milliseconds;

/// The largest number of mapped ranges of a subject: its own memory, stack, code and counter pages,
/// the vsyscall page, and what a probe maps.
constexpr std::size_t kMostMappings = 32;

/// Whether a block that runs and is steady may have this reason: on a busy machine not all are
/// measured.
bool may_become_of_steady_block(Reason reason) {
  return reason == Reason::kNone || reason == Reason::kInterference ||
         reason == Reason::kUnstable || reason == Reason::kNoSteadyState;
}

std::string describe(const Input& input, std::uint64_t seed, std::uint64_t number) {
  return fmt::format("seed {}, number {}, {}, {}: {}\n({})", seed, number, name(input.kind),
                     name(input.notion), hex_from_bytes(input.bytes), text_of(input.bytes));
}

}  // namespace

Settings quick_settings() {
  Settings settings;
  settings.target_instructions = 100;
  settings.page_limit = 24;
  settings.time_limit = milliseconds(20);
  settings.target_relative = 0.1;
  settings.accept_relative = 0.3;
  settings.sampling_budget = milliseconds(1);
  settings.visit_patience = milliseconds(5);
  settings.validation = false;
  return settings;
}

Attack::Attack(const InputSource& source, std::uint64_t seed, int processor)
    : source_(source),
      seed_(seed),
      profiler_(settings_, processor),
      neighbours_(profiler_),
      before_(host_state()) {}

std::optional<std::string> Attack::run(std::uint64_t number) {
  const Input input = source_.input(number);
  const std::string what = fmt::format("seed {}, number {}, {}: {}", seed_, number,
                                       name(input.notion), hex_from_bytes(input.bytes));
  watchdog_.watch(what);
  const auto start = std::chrono::steady_clock::now();
  const Measurement measurement = profiler_.measure({input.bytes}, input.notion);
  const auto taken = std::chrono::steady_clock::now() - start;
  watchdog_.rest();
  ++figures_.inputs;
  ++figures_.by_kind.at(static_cast<std::size_t>(input.kind));
  ++figures_.by_reason[measurement.outcome.reason];
  if (taken > figures_.slowest) {
    figures_.slowest = taken;
    figures_.slowest_number = number;
  }
  const auto wrong = violation(input, settings_, measurement);
  if (!wrong) return std::nullopt;
  return fmt::format("{}\n{} {} {}\n{}", *wrong, name(measurement.outcome.verdict()),
                     name(measurement.outcome.reason), measurement.outcome.detail,
                     describe(input, seed_, number));
}

std::optional<std::string> Attack::check_neighbour(std::uint64_t number) {
  const Input input = source_.input(number);
  watchdog_.watch("a known block");
  const auto wrong = neighbours_.check(profiler_, number);
  watchdog_.rest();
  if (!wrong) return std::nullopt;
  return fmt::format("behind it, {}\n{}", *wrong, describe(input, seed_, number));
}

std::optional<std::string> Attack::check_surroundings() {
  constexpr std::string_view kWhat = "known blocks";
  watchdog_.watch(kWhat);
  auto wrong = check_known_blocks();
  watchdog_.rest();
  if (wrong) return wrong;
  const std::string changed = difference(before_, host_state());
  if (!changed.empty()) return changed;
  const std::vector<pid_t> subjects = children();
  if (subjects.size() != 1) return fmt::format("{} children beside the subject", subjects.size());
  if (mappings(subjects[0]) > kMostMappings) {
    return fmt::format("the subject has {} mapped ranges", mappings(subjects[0]));
  }
  return std::nullopt;
}

std::optional<std::string> Attack::check_known_blocks() {
  if (auto wrong = neighbours_.check_all(profiler_)) return wrong;
  for (const Notion notion : {Notion::kUnrolled, Notion::kLooped}) {
    const Measurement measurement = profiler_.measure({bytes_from_hex("4801d8")}, notion);
    if (may_become_of_steady_block(measurement.outcome.reason)) continue;
    return fmt::format("a steady block ({}) is now {}, {}", name(notion),
                       name(measurement.outcome.reason), measurement.outcome.detail);
  }
  return std::nullopt;
}

}  // namespace assay::fuzz

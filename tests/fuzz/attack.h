#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "profiler/protocol/profiler.h"
#include "tests/fuzz/host_state.h"
#include "tests/fuzz/inputs.h"
#include "tests/fuzz/neighbours.h"
#include "tests/fuzz/own_folder.h"
#include "tests/fuzz/watchdog.h"

namespace assay::fuzz {

/// Settings under which a block takes about a millisecond: every part of assay runs, but with less
/// patience and precision. Values mean little; outcomes are the same as usual, except those that
/// depend on samples.
Settings quick_settings();

/// Counts of an attack.
struct Figures {
  std::int64_t inputs = 0;
  std::array<std::int64_t, kInputKinds> by_kind{};
  std::map<Reason, std::int64_t> by_reason;
  std::chrono::nanoseconds slowest{};
  std::uint64_t slowest_number = 0;
};

/// Feeds inputs to one profiler, and checks the outcome of each, and the state of the host
/// afterwards. Meanwhile the process has an empty current folder.
class Attack {
 public:
  /// Throws what Profiler does. `seed` is for messages.
  Attack(const InputSource& source, std::uint64_t seed, int processor);

  /// Measures the input with this number. Returns what is wrong, if anything, with all that it
  /// takes to repeat it. A hang ends the process.
  std::optional<std::string> run(std::uint64_t number);

  /// Checks that a known block behind the input with this number is what it was before all inputs,
  /// as far as that can be told without timing it. Returns what is not.
  std::optional<std::string> check_neighbour(std::uint64_t number);

  /// Checks that known blocks still have the outcomes that they should have, with a clean processor
  /// state, in one subject of bounded memory, and that the host is as it was. Returns what is
  /// wrong, if anything.
  std::optional<std::string> check_surroundings();

  const Figures& figures() const { return figures_; }
  int subjects_replaced() const { return profiler_.subjects_started() - 1; }

 private:
  std::optional<std::string> check_known_blocks();

  const InputSource& source_;
  std::uint64_t seed_;
  Settings settings_ = quick_settings();
  OwnFolder folder_;
  Watchdog watchdog_{std::chrono::seconds(60)};
  Profiler profiler_;
  Neighbours neighbours_;
  HostState before_;
  Figures figures_;
};

}  // namespace assay::fuzz

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
#include "tests/fuzz/own_folder.h"
#include "tests/fuzz/watchdog.h"

namespace assay::fuzz {

/// Settings under which a block takes about a millisecond: every part runs, with less patience and
/// precision. Values mean little; what becomes of a block is the same but for those of samples.
Settings quick_settings();

/// What an attack came to.
struct Figures {
  std::int64_t inputs = 0;
  std::array<std::int64_t, kInputKinds> by_kind{};
  std::map<Reason, std::int64_t> by_reason;
  std::chrono::nanoseconds slowest{};
  std::uint64_t slowest_number = 0;
};

/// Feeds inputs to one profiler, and holds what comes of each, and what is left of the host
/// afterwards, against what must be. Meanwhile the process has an empty current folder.
class Attack {
 public:
  /// Throws what Profiler does. `seed` is for messages.
  Attack(const InputSource& source, std::uint64_t seed, int processor);

  /// Measures the input of that number. Says what is wrong, with all that it takes to repeat it. A
  /// hang ends the process.
  std::optional<std::string> run(std::uint64_t number);

  /// Whether known blocks still come to what they should, under a clean processor state, in one
  /// subject of bounded memory, and the host is as it was. Says what is wrong.
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
  HostState before_;
  Figures figures_;
};

}  // namespace assay::fuzz

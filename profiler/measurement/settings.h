#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "profiler/block/traits.h"
#include "profiler/codegen/initial_state.h"
#include "profiler/counters/event.h"
#include "profiler/measurement/aggregate.h"

namespace assay {

/// What the protocol `nanobench` leaves to its user; the defaults are nanoBench's own. No other
/// protocol looks at them.
struct NanobenchOptions {
  int unroll = 1000;  ///< copies of the block in a row
  int loop = 0;       ///< where looped, turns of the loop over them; 0: see plan_fixed()
  int warm_up = 5;    ///< runs before each one that counts
  int runs = 10;      ///< of each size
  Aggregate aggregate = Aggregate::kMean;
};

/// Everything that a campaign may choose and that can change a value or a verdict.
struct Settings {
  /// Raised with every change of how a value comes about that no other field tells, so that values
  /// of two kinds never share a campaign.
  int revision = 4;
  std::string protocol = "assay";  ///< one of protocol_names()
  NanobenchOptions nanobench;
  std::string clock = "tsc";            ///< one of backend_names()
  std::string clock_reading = "rdtsc";  ///< how it is read: name(ReadMethod)
  std::vector<EventRequest> events;     ///< to count beside the clock, if the backend counts any
  /// Whether events that a block in steady state must not cause are counted, where the clock's
  /// backend can count them and this CPU's are known, and reject a block that causes them.
  bool validation = true;
  std::string initial_state = "distinct";  ///< a name that initial_state_named() knows
  StateOverrides state_overrides;          ///< of that state, and of those that are tried after it
  bool fallback_states = true;             ///< whether others are tried: those of fallback_states()

  int target_instructions = 700;  ///< n copies make about so many; the other sizes are 2n and 4n
  /// The body of a loop is repeated until it has so many instructions, its end not counted.
  int loop_min_instructions = 1;
  /// A block with one of these is rejected, for the reason of the same name: what assay's own
  /// choice of addresses makes of a block, and not the block itself (docs/verdicts.md).
  Traits reject = {Trait::kSplitPage, Trait::kTlbReach, Trait::kPageAliasing, Trait::kX87Stack};
  int page_limit = 128;  ///< virtual pages that one block may touch
  /// Of processor time, for each stretch between stops. At most 150: readings, of up to six time
  /// stamps each, are kept modulo 2^32.
  std::chrono::milliseconds time_limit{100};

  double target_relative = 0.005;  ///< sampling ends when the 95 % interval's half-width is at most
  double target_cycles = 0.005;    ///< this share of the value, or this many cycles
  double accept_relative = 0.01;   ///< a value is stored as measured only if it is at most this
  double accept_cycles = 0.01;     ///< share, or this many cycles
  std::chrono::milliseconds sampling_budget{3};  ///< for one block, its undisturbed series together
  double series_slowdown = 0.02;  ///< of the canary: series that have surely more are left out
  double accept_slowdown = 0.02;  ///< of the canary over all series of a block that is accepted
  std::chrono::milliseconds patience{5000};  ///< how long to wait for an undisturbed core
};

/// One line of JSON with every field in a fixed order: equal settings give equal text, so that it
/// identifies a campaign's settings in the store.
std::string to_json(const Settings& settings);

}  // namespace assay

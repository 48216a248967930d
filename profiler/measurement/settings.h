#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/block/traits.h"
#include "profiler/codegen/initial_state.h"
#include "profiler/counters/event.h"
#include "profiler/measurement/aggregate.h"
#include "profiler/support/named.h"

namespace assay {

/// What the protocol `nanobench` leaves to its user; the defaults are nanoBench's own. Other
/// protocols ignore these options.
struct NanobenchOptions {
  int unroll = 1000;  ///< the unroll factor: copies of the block in a row
  int loop = 0;       ///< if looped, iterations of the loop over the copies; 0: see plan_fixed()
  int warm_up = 5;    ///< warm-up runs before each run that counts
  int runs = 10;      ///< runs of each size that count
  Aggregate aggregate = Aggregate::kMean;
};

/// How the loop over a block that ends in a branch is to end: as one LoopEnd says, or kAuto: by its
/// own branch if initial values are found with which that ends it; else by DEC and JNZ, in place of
/// compare and branch if possible.
enum class LoopEndChoice : std::uint8_t { kAuto, kOwn, kReplaced, kAdded };
std::string_view name(LoopEndChoice choice);
template <>
std::optional<LoopEndChoice> named<LoopEndChoice>(std::string_view word);
std::span<const std::string_view> loop_end_choice_names();

/// Everything that a campaign may choose and that can change a value or a verdict.
struct Settings {
  /// Increased with every change in how values come about that shows in no other field, so that
  /// values obtained in two ways never share a campaign.
  int revision = 52;
  std::string protocol = "assay";  ///< one of protocol_names()
  NanobenchOptions nanobench;
  std::string clock = "tsc";            ///< one of backend_names()
  std::string clock_reading = "rdtsc";  ///< how the clock is read: name(ReadMethod)
  std::vector<EventRequest> events;     ///< counted beside the clock, if the backend counts any
  /// Whether a block is rejected for events that a block in steady state must not cause. They are
  /// counted if the clock's backend can count them and those of this CPU are known.
  bool validation = true;
  std::string initial_state = "distinct";  ///< a name that initial_state_named() knows
  StateOverrides state_overrides;  ///< for that state, and for those that are tried after it
  bool fallback_states = true;     ///< whether others are tried (see fallback_states())

  int target_instructions = 400;  ///< about what n copies make; the other sizes are 2n and 3n
  /// The block is repeated in the body of a loop until the body has this many instructions, not
  /// counting the end of the loop.
  int loop_min_instructions = 1;
  LoopEndChoice loop_end = LoopEndChoice::kAuto;  ///< of a block that ends in a branch
  int loop_alignment = 0;  ///< address of a loop's first instruction modulo 64: 0 to 63
  /// A block with one of these traits is rejected, for the reason of the same name. By default
  /// these are the traits that come from assay's own choice of addresses or from repeating the
  /// block, and make a number that is not the block's (docs/verdicts.md).
  Traits reject = {Trait::kSplitPage, Trait::kCacheReach, Trait::kTlbReach, Trait::kPageAliasing,
                   Trait::kX87Stack};
  int page_limit = 128;  ///< the most virtual pages that one block may touch
  /// Limit on processor time for each stretch between two stops. At most 150: readings, of up to
  /// six time stamps each, are kept modulo 2^32.
  std::chrono::milliseconds time_limit{100};

  double target_relative = 0.007;  ///< sampling ends at a half-width of this share of the value
  double target_cycles = 0.007;    ///< sampling also ends at a half-width of this many cycles
  double accept_relative = 0.01;   ///< largest half-width of a measured value, as a share of it
  double accept_cycles = 0.01;     ///< half-width, in cycles, that any measured value may have
  std::chrono::milliseconds sampling_budget{4};  ///< for all undisturbed series of a first visit
  double series_slowdown = 0.02;  ///< a series whose canary was surely slower by more is left out
  double accept_slowdown = 0.02;  ///< limit for the canary over all series of a measured block
  /// How long one visit to a block waits for an undisturbed core.
  std::chrono::milliseconds visit_patience{20};
};

/// The settings as one line of JSON with every field in a fixed order. Equal settings give equal
/// text, so that the text identifies a campaign's settings in the store.
std::string to_json(const Settings& settings);

}  // namespace assay

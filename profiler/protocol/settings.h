#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "profiler/codegen/initial_state.h"

namespace assay {

/// Everything that a campaign may choose and that can change a value or a verdict.
struct Settings {
  /// Raised with every change of how a value comes about that no other field tells, so that values
  /// of two kinds never share a campaign.
  int revision = 1;
  std::string protocol = "assay";
  std::string notion = "unrolled";
  std::string clock = "tsc";
  std::string initial_state = "distinct";  ///< a name that initial_state_named() knows
  StateOverrides state_overrides;          ///< of that state, and of those that are tried after it
  bool fallback_states = true;             ///< whether others are tried: those of fallback_states()

  int target_instructions =
      500;               ///< n copies make about so many instructions; the other size is 2n
  int page_limit = 128;  ///< virtual pages that one block may touch
  std::chrono::milliseconds time_limit{100};  ///< of processor time, for each stretch between stops

  double target_relative = 0.01;  ///< sampling ends when the 95 % interval's half-width is at most
  double target_cycles = 0.01;    ///< this share of the value, or this many cycles
  double accept_relative = 0.02;  ///< a value is stored as measured only if it is at most this
  double accept_cycles = 0.02;    ///< share, or this many cycles
  std::chrono::milliseconds sampling_budget{
      20};                        ///< for one block, its undisturbed series together
  double round_slowdown = 0.06;   ///< of the canary: rounds with more are disturbed, and left out
  double accept_slowdown = 0.02;  ///< of the canary over all series of a block that is accepted
  std::chrono::milliseconds patience{5000};  ///< how long to wait for an undisturbed core
};

/// One line of JSON with every field in a fixed order: equal settings give equal text, so that it
/// identifies a campaign's settings in the store.
std::string to_json(const Settings& settings);

}  // namespace assay

#pragma once

#include <boost/describe/class.hpp>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/block/traits.h"
#include "profiler/block/verdict.h"
#include "profiler/support/named.h"

namespace assay {

/// What "repeatedly" means. `unrolled` (TP_U): n copies of the block in a row. `looped` (TP_L): a
/// loop with the block as its body.
enum class Notion { kUnrolled, kLooped };
std::string_view name(Notion notion);
template <>
std::optional<Notion> named<Notion>(std::string_view word);

/// A value with its uncertainty, in core cycles per copy of the block.
struct Estimate {
  double cycles = 0;
  double half_width = 0;  ///< half of the 95 % interval around `cycles`
  bool operator==(const Estimate&) const = default;
};
BOOST_DESCRIBE_STRUCT(Estimate, (), (cycles, half_width))

/// Timed runs of a block.
struct TimedRuns {
  std::int64_t runs = 0;     ///< that its value rests on
  std::int64_t dropped = 0;  ///< left out: outliers and disturbed series
  bool operator==(const TimedRuns&) const = default;
};
BOOST_DESCRIBE_STRUCT(TimedRuns, (), (runs, dropped))

/// How often an event happened in one copy of a block.
struct EventCount {
  std::string name;
  /// By the difference of two sizes, which what frames the copies drops out of.
  double per_copy = 0;
  double half_width = 0;   ///< half of the 95 % interval around `per_copy`
  double overhead = 0;     ///< in a run of a kernel without copies
  bool validates = false;  ///< counted to judge the block, whether anybody asked for it or not
  /// Events that do not fit into the counters together are counted in passes, one after the other:
  /// which, from 1, and the core cycles that a copy took in it.
  std::int64_t pass = 0;
  double pass_cycles = 0;
  auto operator<=>(const EventCount&) const = default;
};
BOOST_DESCRIBE_STRUCT(EventCount, (),
                      (name, per_copy, half_width, overhead, validates, pass, pass_cycles))

/// What became of one block under one notion. The list beneath is the home of its fields: stores,
/// messages between processes, JSON and CSV follow it.
struct Measurement {
  Notion notion = Notion::kUnrolled;
  Outcome outcome;
  std::optional<Estimate> estimate;  ///< there exactly if the outcome is measured()
  TimedRuns timed;
  std::int64_t instructions = 0;  ///< of the block; those before the one at fault if it was refused
  std::int64_t copies = 0;        ///< n: the fewest that it was timed at; 0 if never planned
  std::int64_t pages = 0;         ///< virtual pages that were mapped for it
  /// The initial state under which it came to this, as to_text(StateRequest) has it, with all
  /// values that took the place of the profile's; empty if it never ran.
  std::string initial_state;
  Traits traits;
  /// In the order of the passes; empty where nothing counts events, or nothing was asked for.
  std::vector<EventCount> events;
  bool operator==(const Measurement&) const = default;
};
BOOST_DESCRIBE_STRUCT(Measurement, (),
                      (notion, outcome, estimate, timed, instructions, copies, pages, initial_state,
                       traits, events))

}  // namespace assay

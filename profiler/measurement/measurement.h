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

/// What "repeatedly" means. `unrolled` (TP_U) is n copies of the block in a row; `looped` (TP_L) is
/// a loop with the block as its body.
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

/// Whether values may be of the same state: they differ by no more than one and a half times what
/// both half-widths give together, 1 % or 0.01 cycles.
bool alike(const Estimate& one, const Estimate& other);

/// What one visit shows of a block, whether that is enough for a value or not. Visits that are not
/// sure by themselves may be so together (protocol/visits.h).
struct Evidence {
  Estimate estimate;
  /// By how many cycles a copy takes longer further on than at first.
  Estimate difference;
  double floor = 0;         ///< the least core cycles that a copy takes on this core
  std::int64_t states = 1;  ///< 2 if the samples seem to be of two states, and not of one
  bool operator==(const Evidence&) const = default;
};
BOOST_DESCRIBE_STRUCT(Evidence, (), (estimate, difference, floor, states))

/// How many timed runs a block had.
struct TimedRuns {
  std::int64_t runs = 0;     ///< runs that the value rests on
  std::int64_t dropped = 0;  ///< runs that were left out: outliers and disturbed series
  bool operator==(const TimedRuns&) const = default;
};
BOOST_DESCRIBE_STRUCT(TimedRuns, (), (runs, dropped))

/// How often an event occurred in one copy of a block.
struct EventCount {
  std::string name;
  /// Computed from the difference of two sizes, so that the code around the copies drops out.
  double per_copy = 0;
  double half_width = 0;   ///< half of the 95 % interval around `per_copy`
  double overhead = 0;     ///< the count in a run of a kernel without copies
  bool validates = false;  ///< whether it judges the block, which it may without being asked for
  /// The number of the pass, from 1, in which the event was counted, and the core cycles that a
  /// copy took in that pass. There are several passes, one after the other, if not all events fit
  /// into the counters together.
  std::int64_t pass = 0;
  double pass_cycles = 0;
  auto operator<=>(const EventCount&) const = default;
};
BOOST_DESCRIBE_STRUCT(EventCount, (),
                      (name, per_copy, half_width, overhead, validates, pass, pass_cycles))

/// One of several steady times that visits found a block to have.
struct Mode {
  double cycles = 0;
  double half_width = 0;    ///< half of the 95 % interval around `cycles`
  std::int64_t visits = 0;  ///< how many visits found it
  double share = 0;         ///< their part of all visits that found a value
  auto operator<=>(const Mode&) const = default;
};
BOOST_DESCRIBE_STRUCT(Mode, (), (cycles, half_width, visits, share))

/// What a block takes where its code lies so.
struct CodePlacement {
  /// Of the first instruction of the loop, or of the first copy, in bytes behind a multiple of 64.
  std::int64_t offset = 0;
  double cycles = 0;
  double half_width = 0;  ///< half of the 95 % interval around `cycles`
  auto operator<=>(const CodePlacement&) const = default;
};
BOOST_DESCRIBE_STRUCT(CodePlacement, (), (offset, cycles, half_width))

/// What became of one block under one notion. The list below the struct defines its fields for all
/// uses: stores, messages between processes, JSON and CSV follow it. What is not in it is the
/// matter of visits alone.
struct Measurement {
  Notion notion = Notion::kUnrolled;
  Outcome outcome;
  std::optional<Estimate> estimate;  ///< set exactly if the outcome is measured()
  TimedRuns timed;
  std::int64_t visits = 1;  ///< how many visits (protocol/visits.h) led to the outcome
  /// Whether the outcome is the block's own: another visit, at another moment, would not change it.
  bool settled = true;
  std::int64_t instructions = 0;  ///< in the block, or before the one at fault if it was refused
  std::int64_t copies = 0;        ///< the unroll factor n: its smallest size; 0 if never planned
  std::int64_t pages = 0;         ///< how many virtual pages were mapped for it
  /// The initial state under which the block had this outcome, in the form of
  /// to_text(StateRequest), including all values that replaced the profile's; empty if the block
  /// never ran.
  std::string initial_state;
  /// How the loop ended that was run: name(LoopEnd); empty if it is no loop, or never came to be
  /// one.
  std::string loop_end;
  Traits traits;
  /// Ordered by pass; empty if the clock counts no events, or if none were to be counted.
  std::vector<EventCount> events;
  /// The states that its visits found it in (Visits), that of most visits first; empty unless there
  /// are several.
  std::vector<Mode> modes;
  /// By their offsets, ascending. Of a measured loop that is as its program has it, or nearly
  /// (Protocol::elsewhere()): what it takes at other places than that of the estimate. Of
  /// straight-line code that takes another time at some places than at others: what it takes at
  /// each behind assay's entry, of all of which the estimate is the mean. Places at which no value
  /// was found, or not twice, are left out.
  std::vector<CodePlacement> placements;
  /// What a visit that found a value, or an unsure one, has to show for it.
  std::optional<Evidence> evidence;
  bool operator==(const Measurement&) const = default;
};
BOOST_DESCRIBE_STRUCT(Measurement, (),
                      (notion, outcome, estimate, timed, visits, settled, instructions, copies,
                       pages, initial_state, loop_end, traits, events, modes, placements))

}  // namespace assay

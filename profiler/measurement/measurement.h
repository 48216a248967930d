#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/block/traits.h"
#include "profiler/block/verdict.h"

namespace assay {

/// What "repeatedly" means. `unrolled` (TP_U): n copies of the block in a row. `looped` (TP_L): a
/// loop with the block as its body.
enum class Notion { kUnrolled, kLooped };
std::string_view name(Notion notion);
/// The notion of that name; nothing if there is none.
std::optional<Notion> notion_named(std::string_view name);

/// A value with its uncertainty, in core cycles per copy of the block.
struct Estimate {
  double cycles = 0;
  double half_width = 0;  ///< half of the 95 % interval around `cycles`
};

/// Timed runs of a block.
struct TimedRuns {
  std::int64_t runs = 0;     ///< that its value rests on
  std::int64_t dropped = 0;  ///< left out: outliers and disturbed series
};

/// How often an event happened in one copy of a block.
struct EventCount {
  std::string name;
  double per_copy =
      0;  ///< by the difference of two sizes, which what frames the copies drops out of
  double half_width = 0;   ///< half of the 95 % interval around `per_copy`
  double overhead = 0;     ///< in a run of a kernel without copies
  bool validates = false;  ///< counted to judge the block, whether anybody asked for it or not
  /// Events that do not fit into the counters together are counted in passes, one after the other:
  /// which, from 1, and the core cycles that a copy took in it.
  std::int64_t pass = 0;
  double pass_cycles = 0;
};

/// What became of one block under one notion.
struct Measurement {
  Notion notion = Notion::kUnrolled;
  Outcome outcome;
  /// Present when the block was sampled. It is a measured value only if the verdict says so; the
  /// store and all outputs leave out one that was not good enough.
  std::optional<Estimate> estimate;
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
};

}  // namespace assay

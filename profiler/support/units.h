#pragma once

#include <cstdint>

#include "profiler/support/quantity.h"

namespace assay {

/// Cycles of the core that runs a block: what values are in.
using Cycles = Quantity<struct CycleUnit>;

/// Ticks of the time-stamp counter, which runs at a rate of its own.
using Ticks = Quantity<struct TickUnit>;

/// What a reading of a run counts: core cycles, where a counter counts them; else ticks, of each of
/// the time stamps at either end of the run (TimeStamps): with five stamps a run of 100 ticks reads
/// 500.
using Reading = Quantity<struct ReadingUnit>;

using CyclesPerTick = Rate<Cycles, Ticks>;
using CyclesPerReading = Rate<Cycles, Reading>;

/// Between the two, for readings of so many stamps.
inline CyclesPerTick per_tick(CyclesPerReading ratio, int stamps) {
  return CyclesPerTick(ratio.value() * stamps);
}
inline CyclesPerReading per_reading(CyclesPerTick ratio, int stamps) {
  return CyclesPerReading(ratio.value() / stamps);
}

/// Copies of a block.
using Copies = Quantity<struct CopyUnit, std::int64_t>;

/// How often a kernel's body runs: one behind the other, where it is unrolled, or in a loop. A body
/// holds one copy or more.
using Iterations = Quantity<struct IterationUnit, std::int64_t>;

}  // namespace assay

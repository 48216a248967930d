#pragma once

#include <cstdint>

#include "profiler/support/quantity.h"

namespace assay {

/// Cycles of the core that runs a block: the unit of values.
using Cycles = Quantity<struct CycleUnit>;

/// Ticks of the time-stamp counter, which has a rate of its own.
using Ticks = Quantity<struct TickUnit>;

/// What a reading of a run counts: core cycles if a counter counts them; otherwise ticks, summed
/// over the time stamps at either end of the run (TimeStamps): with five stamps, a run of 100 ticks
/// reads 500.
using Reading = Quantity<struct ReadingUnit>;

using CyclesPerTick = Rate<Cycles, Ticks>;
using CyclesPerReading = Rate<Cycles, Reading>;

/// The sum of `stamps` time stamps for each tick of one.
inline Ticks of_one_stamp(Reading sum, int stamps) { return Ticks(sum.count() / stamps); }

/// Convert between the two ratios, for readings that are the sum of `stamps` time stamps.
inline CyclesPerTick per_tick(CyclesPerReading ratio, int stamps) {
  return CyclesPerTick(ratio.value() * stamps);
}
inline CyclesPerReading per_reading(CyclesPerTick ratio, int stamps) {
  return CyclesPerReading(ratio.value() / stamps);
}

/// A number of copies of a block.
using Copies = Quantity<struct CopyUnit, std::int64_t>;

/// How often a kernel's body is executed: one after the other if it is unrolled, or in a loop. A
/// body holds one or more copies.
using Iterations = Quantity<struct IterationUnit, std::int64_t>;

/// The iterations that make so many copies, if the body is a single one.
constexpr Iterations of_one_copy(Copies copies) { return Iterations(copies.count()); }

}  // namespace assay

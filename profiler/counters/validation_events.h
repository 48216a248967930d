#pragma once

#include <span>
#include <string_view>

#include "profiler/block/verdict.h"

namespace assay {

/// An event that a measurement in steady state must not cause.
struct ValidationEvent {
  Reason reason;                   ///< the reason for which a block that causes it is rejected
  std::string_view specification;  ///< in a form that EventEncoder accepts
  std::string_view source;         ///< the manual or list that says what it counts
  bool tested = false;             ///< whether it was seen to count that on such a CPU
};

/// The events for a microarchitecture (machine/microarchitecture.h, with "-p" or "-e" appended to
/// the names of hybrid CPUs); none if it is not in the table. kInstructionCount has one event,
/// which counts retired instructions. Any other event should count nothing while a block without
/// misses runs. A reason may have several events, such as one for loads and one for stores, or none
/// if the CPU has no event that fits:
/// - kSplitAccess has none on Zen 1 and 2;
/// - kSplitAccess sees no stores on AMD's later cores and on Gracemont (the E-cores of Alder and
///   Raptor Lake);
/// - kDataCacheMiss sees loads, and dirty lines that are evicted, on Intel's E-cores, and no other
///   stores; on Gracemont it sees only loads;
/// - kDataTlbMiss and kInstructionTlbMiss are page walks. A miss of the first level that hits the
///   second needs no counter: the trace shows it (the trait tlb_reach).
std::span<const ValidationEvent> validation_events(std::string_view microarchitecture);

}  // namespace assay

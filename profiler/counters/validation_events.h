#pragma once

#include <span>
#include <string_view>

#include "profiler/block/verdict.h"

namespace assay {

/// An event that counts something that a measurement in steady state must not have.
struct ValidationEvent {
  Reason reason;                   ///< what a block is rejected for that has it
  std::string_view specification;  ///< as EventEncoder takes it
  std::string_view source;         ///< the manual or list that says what it counts
  bool tested = false;             ///< whether it was seen to count it, on such a CPU
};

/// The events for a microarchitecture (machine/microarchitecture.h; "-p" and "-e" behind the names
/// of hybrid CPUs): none if it is not in the table. kInstructionCount has one, the instructions
/// that retire; any of the others should count nothing while a block runs that has no misses. There
/// may be several for one reason, such as loads and stores, and none where the CPU has no event
/// that fits:
/// - kSplitAccess has none on Zen 1 and 2;
/// - kSplitAccess sees no stores on AMD's later cores and on Gracemont (Alder and Raptor Lake's
/// E-cores);
/// - kDataCacheMiss sees loads, and dirty lines that are evicted, on Intel's E-cores, and no other
///   stores; on Gracemont loads alone;
/// - kDataTlbMiss and kInstructionTlbMiss are page walks: a miss of the first level that hits the
///   second is told by the trace (the trait tlb_reach), without any counter.
std::span<const ValidationEvent> validation_events(std::string_view microarchitecture);

}  // namespace assay

#pragma once

#include <optional>
#include <string>

#include "profiler/counters/backend.h"
#include "profiler/subject/subject.h"

namespace assay {

/// What a backend's counters counted of code whose counts are known. All are differences between a
/// larger run and a smaller one.
struct SelfTestCounts {
  // The reference chain, unrolled: each copy is one instruction of one cycle, and there is no
  // branch.
  double chain_copies = 0;
  double chain_instructions = 0;
  double chain_branches = 0;
  double cycles = 0;             ///< core cycles of a copy
  double cycles_half_width = 0;  ///< half-width of the 95 % interval of `cycles`
  // A loop over one copy of the chain: each iteration has three instructions, one of them a branch.
  double loop_iterations = 0;
  double loop_instructions = 0;
  double loop_branches = 0;
};

/// What is wrong with the counts; nothing if they are right: instructions and branches to one,
/// cycles within 1 % and with a half-width that is no larger.
std::optional<std::string> find_wrong_count(const SelfTestCounts& counts);

/// Counts known code on the processor that the calling thread is pinned to, before anything that
/// the backend counts is trusted. Tries three times, since the machine may be disturbed. Returns
/// what was wrong the last time, or nothing if all is well or the backend counts no events to test.
/// Throws EnvironmentError if nothing can be run. `emulator` is as in Subject.
std::optional<std::string> self_test(CounterBackend& backend, int processor,
                                     const subject::Subject::RdpmcEmulator& emulator = {});

}  // namespace assay

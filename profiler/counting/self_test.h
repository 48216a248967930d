#pragma once

#include <optional>
#include <string>

#include "profiler/counters/backend.h"
#include "profiler/subject/subject.h"

namespace assay {

/// What a backend's counters counted of code whose counts are known: so many more of it in a
/// larger run than in a smaller one.
struct SelfTestCounts {
  // The reference chain, unrolled: one cycle and one instruction each, and no branch.
  double chain_copies = 0;
  double chain_instructions = 0;
  double chain_branches = 0;
  double cycles = 0;             ///< in a copy
  double cycles_half_width = 0;  ///< of the 95 % interval around that
  // A loop over one copy of it: three instructions an iteration, one of them a branch.
  double loop_iterations = 0;
  double loop_instructions = 0;
  double loop_branches = 0;
};

/// What is wrong with the counts; nothing if they are as they must be: instructions and branches to
/// one, cycles within 1 % with an interval that is no wider.
std::optional<std::string> find_wrong_count(const SelfTestCounts& counts);

/// Counts known code on the processor that the calling thread is pinned to, before anything that
/// the backend counts is trusted. Tries three times, since a machine may be disturbed. What was
/// wrong the last time; nothing if all is well, or if the backend counts no events to tell by.
/// Throws EnvironmentError when nothing can be run. `emulator`: see Subject.
std::optional<std::string> self_test(CounterBackend& backend, int processor,
                                     const subject::Subject::RdpmcEmulator& emulator = {});

}  // namespace assay

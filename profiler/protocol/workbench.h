#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/codegen/initial_state.h"
#include "profiler/codegen/kernel.h"
#include "profiler/counters/tsc.h"
#include "profiler/protocol/sample.h"
#include "profiler/subject/subject.h"

namespace assay {

/// A subject with the kernels that run beside every block's in its code area: the reference chain
/// and the canary. Belongs to the thread that made it.
class Workbench {
 public:
  /// Throws EnvironmentError when the machine does not let a process be traced.
  explicit Workbench(const TscProperties& clock);

  /// Replaces the subject by a new one, in which no block is loaded and no page mapped.
  void restart();
  /// Subjects started so far.
  int subjects_started() const { return subjects_started_; }
  subject::Subject& subject() { return *subject_; }

  /// Where a block's kernel has to lie: a multiple of 64 behind the others. All code lies packed:
  /// were each kernel to begin a page, their first lines would share a few sets of the first-level
  /// instruction cache, and some would be missed in some series and not in others.
  std::uint64_t block_address() const { return block_address_; }
  void load(const Kernel& kernel);
  /// The next such address behind a kernel.
  static std::uint64_t behind(const Kernel& kernel);

  /// What is run in the turns of a block.
  struct Job {
    const Kernel& kernel;  ///< loaded
    const InitialState& state;
    bool writes_memory;  ///< the frames are refilled before each of its runs
  };
  /// Runs `rounds` rounds. The last of kBlockSlots is the kernel's last entry, and so on backwards.
  subject::SeriesResult run(const Job& job, const Round& round, std::uint32_t rounds,
                            const subject::Limits& limits);

 private:
  void add_companion(const Block& block, std::vector<std::int64_t> sizes);
  std::uint32_t phase_mask() const;

  TscProperties clock_;
  std::unique_ptr<subject::Subject> subject_;
  int subjects_started_ = 0;
  std::vector<Kernel> companions_;
  std::vector<std::uint64_t> companion_entries_;  ///< by Slot from kReferenceSmall on
  std::uint64_t block_address_;
};

}  // namespace assay

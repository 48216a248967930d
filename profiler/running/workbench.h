#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/codegen/initial_state.h"
#include "profiler/codegen/kernel.h"
#include "profiler/counters/backend.h"
#include "profiler/counters/clock.h"
#include "profiler/sampling/companions.h"
#include "profiler/sampling/round.h"
#include "profiler/sampling/stamp_choice.h"
#include "profiler/subject/subject.h"

namespace assay {

/// A subject with the counters that count it, and in its code area the kernels that run beside
/// every block's: the reference chain and the canary. Belongs to the thread that made it.
class Workbench {
 public:
  /// What is counted, and where. `backend` must outlive the workbench.
  struct Counting {
    CounterBackend& backend;
    int processor;                             ///< that the calling thread is pinned to
    std::vector<EventRequest> events;          ///< in passes of their own
    subject::Subject::RdpmcEmulator emulator;  ///< nothing for real counters
    bool single_stamps = false;  ///< the time-stamp counter is read once at either end of a run
  };
  /// Throws EnvironmentError when the machine does not let a process be traced, and what
  /// CounterBackend::open() throws.
  Workbench(const Clock& clock, Counting counting);

  /// Replaces the subject by a new one, in which no block is loaded and no page mapped.
  void restart();
  /// Subjects started so far.
  int subjects_started() const { return subjects_started_; }
  subject::Subject& subject() { return *subject_; }
  /// Of all subjects so far: ticks of the time-stamp counter for which they ran series, and stops.
  std::uint64_t series_ticks() const { return ended_ticks_ + subject_->series_ticks(); }
  std::int64_t stops() const { return ended_stops_ + subject_->stops(); }

  /// Groups of counters: the clock's is the first, and each of the others one pass of events.
  std::size_t groups() const { return groups_.size(); }
  const CounterGroup& group(std::size_t number) const { return *groups_.at(number).counters; }
  /// What kernels that are to be read by a group must be made with. It holds until the machine
  /// gives the counters other places: see Outcome::moved.
  Reads reads(std::size_t number) const;
  /// What a reading of the first group is: so many time stamps added up.
  int stamps() const { return stamps_.count; }
  ReadingStep step() const { return ReadingStep(clock_.granularity, stamps_.count); }

  /// Where a block's kernel has to lie: a multiple of 64 behind the others. All code lies packed:
  /// were each kernel to begin a page, their first lines would share a few sets of the first-level
  /// instruction cache, and some would be missed in some series and not in others.
  std::uint64_t block_address() const { return block_address_; }
  void load(const Kernel& kernel);
  /// The next such address behind a kernel.
  static std::uint64_t behind(const Kernel& kernel);

  /// A block to run.
  struct Job {
    /// One for each placement; loaded, and made with reads(group).
    std::span<const Kernel> kernels;
    const InitialState& state;
    bool writes_memory;     ///< the frames are refilled before each of its runs
    std::size_t group = 0;  ///< that reads it
  };
  struct Outcome {
    subject::SeriesResult series;
    /// The counters were given other places: reads() has changed, and the kernels of a block have
    /// to be made again. Nothing was read.
    bool moved = false;
  };
  /// Runs `rounds` rounds. A run's size is the number of an entry of the block's kernels. The
  /// companions only run beside jobs of group 0. Readings are by round, run and counter; where the
  /// monitor reads the counters, each run that counts is many in a row, and its reading the mean of
  /// theirs, and those that do not count are 0.
  Outcome run(const Job& job, const Round& round, std::uint32_t rounds,
              const subject::Limits& limits);

 private:
  struct Group {
    std::unique_ptr<CounterGroup> counters;
    std::uint32_t first_page;            ///< of those that the subject mapped
    std::vector<std::uint32_t> indices;  ///< in these pages, as far as known
    std::vector<std::uint32_t> reads;    ///< what RDPMC takes: one less
  };

  std::vector<int> open_counters(pid_t process);
  void write_companions();
  std::vector<std::uint64_t> add_companion(const Block& block, std::vector<std::int64_t> sizes);
  StampTrial try_stamps(const TimeStamps& stamps);
  std::uint64_t entry_of(const Job& job, const KernelRun& run) const;
  subject::Series series_of(const Job& job, std::span<const std::uint64_t> entries) const;
  void follow(Group& group, std::span<const std::uint32_t> indices);
  Outcome run_read_inside(const Job& job, const Round& round, std::uint32_t rounds,
                          const subject::Limits& limits);
  Outcome run_read_around(const Job& job, const Round& round, std::uint32_t rounds,
                          const subject::Limits& limits);
  std::uint32_t phase_mask() const;

  Clock clock_;
  Counting counting_;
  std::vector<Group> groups_;
  std::unique_ptr<subject::Subject> subject_;
  int subjects_started_ = 0;
  std::uint64_t ended_ticks_ = 0;  ///< of subjects that were replaced
  std::int64_t ended_stops_ = 0;
  TimeStamps stamps_;  ///< of the first group, where it reads the time-stamp counter
  std::vector<std::uint64_t> reference_entries_;  ///< by size
  std::vector<std::uint64_t> canary_entries_;     ///< likewise
  std::uint64_t block_address_ = 0;
  std::vector<std::uint32_t> around_;  ///< readings of the latest run that was read around
};

}  // namespace assay

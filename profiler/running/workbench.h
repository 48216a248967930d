#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/codegen/initial_state.h"
#include "profiler/codegen/kernel.h"
#include "profiler/counters/backend.h"
#include "profiler/counters/clock.h"
#include "profiler/sampling/canary.h"
#include "profiler/sampling/companions.h"
#include "profiler/sampling/round.h"
#include "profiler/sampling/stamp_choice.h"
#include "profiler/subject/subject.h"

namespace assay {

/// A subject together with the counters that count it, and with the kernels in its code area that
/// run beside those of every block: the reference chain and the canary. Belongs to the thread that
/// made it.
class Workbench {
 public:
  /// What is counted, and on which processor. `backend` must outlive the workbench.
  struct Counting {
    CounterBackend& backend;
    int processor;                             ///< the one that the calling thread is pinned to
    std::vector<EventRequest> events;          ///< counted in passes, apart from the clock
    subject::Subject::RdpmcEmulator emulator;  ///< empty for real counters
    bool single_stamps = false;      ///< whether the time-stamp counter is read once at either end
    int nop_bytes = kUsualNopBytes;  ///< of the canary (canary_block)
  };
  /// Throws EnvironmentError if the machine does not let a process be traced, and what
  /// CounterBackend::open() throws.
  Workbench(const Clock& clock, Counting counting);

  /// Replaces the subject by a new one, in which no block is loaded and no page is mapped. Throws
  /// EnvironmentError if somebody kills one after the other.
  void restart();
  /// Calls a function that runs something, and again with a new subject for as long as somebody
  /// kills the subject meanwhile. Returns what the last call returned. Throws EnvironmentError if
  /// that does not stop.
  template <typename Function>
  auto outlive_kills(const Function& function) {
    for (;;) {
      auto result = function();
      if (!subject_->was_killed()) return result;
      count_kill();
      restart();
    }
  }
  /// How many subjects were started so far.
  int subjects_started() const { return subjects_started_; }
  subject::Subject& subject() { return *subject_; }
  /// The ticks of the time-stamp counter for which all subjects so far ran series, and their stops.
  Ticks series_ticks() const { return ended_ticks_ + subject_->series_ticks(); }
  std::int64_t stops() const { return ended_stops_ + subject_->stops(); }

  /// The groups of counters: the first is the clock's, and each other one is a pass of events.
  std::size_t groups() const { return groups_.size(); }
  const CounterGroup& group(std::size_t number) const { return *groups_.at(number).counters; }
  /// How kernels must read the counters of a group. Kernels that were made with this are right
  /// until the machine moves the counters: see JobResult::moved.
  Reads reads(std::size_t number) const;
  /// The number of time stamps that a reading of the first group is the sum of.
  int stamps() const { return stamps_.count; }
  ReadingStep step() const { return ReadingStep(clock_.step, stamps_.count); }

  /// The address where a block's kernel has to lie: a multiple of 64, behind the other kernels.
  /// Code is packed like this because, if each kernel began a page, their first lines would share a
  /// few sets of the first-level instruction cache, and some would be missed in some series and not
  /// in others.
  std::uint64_t block_address() const { return block_address_; }
  void load(const Kernel& kernel);
  /// Loads again what Kernel::set_size() and Kernel::set_lead() have changed of a kernel.
  void load_entries(const Kernel& kernel);
  /// The kernel, moved on so far that its copies lie within one page if they fit into one. Where
  /// the step into the next page costs something (unless Features::pages_are_alike), sizes of which
  /// only the larger one takes it would differ by more than their copies. They keep their place
  /// within a cache line, if that leaves them in the page.
  static Kernel within_one_page(Kernel kernel);
  /// The next multiple of 64 behind a kernel.
  static std::uint64_t behind(const Kernel& kernel);

  /// A block to be run.
  struct Job {
    /// One kernel for each alignment. They must be loaded, and made with reads(group).
    std::span<const Kernel> kernels;
    const InitialState& state;
    bool writes_memory;     ///< if so, the frames are refilled before each of its runs
    std::size_t group = 0;  ///< the group of counters that reads it
    /// Runs that tell the layout of the data and take longer than this are done again, with the
    /// data brought in anew.
    std::optional<Reading> layout_limit = std::nullopt;
  };
  struct JobResult {
    subject::SeriesResult series;
    /// Whether the counters were moved: then reads() has changed, the block's kernels must be made
    /// again, and nothing was read.
    bool moved = false;
  };
  /// Runs `rounds` rounds. The size in a run is the index of an entry in the block's kernels. The
  /// companions run only beside jobs of group 0. Readings are ordered by round, then run, then
  /// counter. If the monitor reads the counters, each run that counts is replaced by many in a row
  /// and its reading is their mean; the reading of a run that does not count is 0.
  JobResult run(const Job& job, const Round& round, std::uint32_t rounds,
                const subject::Limits& limits);
  /// Runs the largest size of the job's first kernel as Subject::run_guarded() does.
  subject::Fault run_guarded(const Job& job, const subject::Limits& limits);

 private:
  void count_kill();

  struct Group {
    std::unique_ptr<CounterGroup> counters;
    std::uint32_t first_page;            ///< index of its first page among those the subject mapped
    std::vector<std::uint32_t> indices;  ///< the counters' indices in these pages, as far as known
    std::vector<std::uint32_t> reads;    ///< what RDPMC takes for each counter: its index less one
  };

  std::vector<int> open_counters(pid_t process);
  void start_subject();
  void choose_code_pages();
  std::optional<std::vector<std::uint32_t>> try_code_pages(std::size_t count);
  void write_companions();
  std::vector<std::uint64_t> add_companion(const Block& block, std::span<const Copies> sizes,
                                           double most);
  std::vector<std::uint64_t> add_own_code(const Block& block, std::span<const Copies> sizes);
  double bend_of(std::span<const std::uint64_t> entries);
  StampTrial try_stamps(const TimeStamps& stamps);
  subject::SeriesResult run_own_code(std::span<const std::uint64_t> entries, std::uint32_t rounds);
  std::uint64_t entry_of(const Job& job, const KernelRun& run) const;
  subject::Series series_of(const InitialState& state,
                            std::span<const std::uint64_t> entries) const;
  void follow(Group& group, std::span<const std::uint32_t> indices);
  JobResult run_read_inside(const Job& job, const Round& round, std::uint32_t rounds,
                            const subject::Limits& limits);
  JobResult run_read_around(const Job& job, const Round& round, std::uint32_t rounds,
                            const subject::Limits& limits);
  std::uint32_t phase_mask() const;

  Clock clock_;
  Counting counting_;
  std::vector<Group> groups_;
  std::unique_ptr<subject::Subject> subject_;
  int subjects_started_ = 0;
  std::chrono::steady_clock::time_point subject_since_;
  int kills_ = 0;      ///< of subjects in a row that did not live long
  Ticks ended_ticks_;  ///< ticks of subjects that were replaced
  std::int64_t ended_stops_ = 0;
  TimeStamps stamps_;  ///< how the first group reads the time-stamp counter, if it does
  std::vector<std::uint64_t> reference_entries_;  ///< one for each size
  std::vector<std::uint64_t> canary_entries_;     ///< one for each size
  std::uint64_t first_code_ = 0;                  ///< address of the first of these
  std::uint64_t block_address_ = 0;
  std::vector<std::uint32_t> around_;  ///< readings of the latest run that was read around
};

}  // namespace assay

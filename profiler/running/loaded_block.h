#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/codegen/initial_state.h"
#include "profiler/codegen/kernel.h"
#include "profiler/codegen/loop_end.h"
#include "profiler/measurement/plan.h"
#include "profiler/running/footprint.h"
#include "profiler/running/seen_whole.h"
#include "profiler/running/trace.h"
#include "profiler/running/workbench.h"
#include "profiler/sampling/sampler.h"
#include "profiler/sampling/series_plan.h"

namespace assay {

/// By how many bytes the copies of an alignment, counted from 0, are moved against the cache lines.
/// Where a plan has places, by as many as bring its sizes to them (Plan::place_at()). Else by none
/// where its sizes all begin at one place within the pieces in which cores fetch code (32 bytes).
/// Where they cannot, the first piece costs more at one size than at another; so alignments lie 8
/// bytes apart, and sizes begin at the same four places of a piece, as nearly as their lengths let
/// them. Such copies lie at many alignments in any case. Those of a loop do not move: its end is
/// taken at one place.
std::uint64_t shift_of_alignment(const Plan& plan, const Block& block, std::size_t alignment);

/// A block under one initial state, loaded into the code area of a workbench's subject. It loads
/// the block's kernels, finds the pages that the block needs, and runs it. Everything that it
/// refers to must outlive it; only one such object can be used at a time.
class LoadedBlock {
 public:
  LoadedBlock(Workbench& workbench, const Block& block, const InitialState& state,
              const subject::Limits& limits)
      : workbench_(workbench), block_(block), given_state_(state), state_(state), limits_(limits) {}

  const Block& block() const { return block_; }
  const InitialState& state() const { return state_; }
  const InitialState& given_state() const { return given_state_; }
  /// Lets memory hold this word. If it is not that of the given state, the state's name says so. No
  /// page stays mapped if the word changes.
  void fill_memory_with(std::uint64_t word);

  /// Loads the plan's kernels at a number of alignments, one behind the other. The alignments
  /// differ in everything that is selected by a part of an instruction's address: sets of caches
  /// and predictors. Some blocks take a few per cent more time at one alignment than at another.
  /// `group` is the group of counters that the kernels read. Returns why it cannot be done, or
  /// nothing.
  std::optional<Outcome> load(const Plan& plan, std::size_t alignments, std::size_t group = 0);

  /// Which copy, and where in it, an address lies in, whichever kernel it belongs to.
  std::optional<Kernel::Location> locate(std::uint64_t address) const;
  /// The outcome of the block if a run of it ended in this fault.
  Outcome outcome_of(const subject::Fault& fault) const;

  /// Runs the traced kernel `kernel`, which lies beside the others, and maps the pages that those
  /// will access, as far as that can be foreseen. These include pages that only a mask kept from
  /// being accessed.
  TraceRun trace(const TracedKernel& kernel) { return trace(kernel, state_); }
  /// As above, but of a kernel that was made for another state, of the same memory.
  TraceRun trace(const TracedKernel& kernel, const InitialState& state);
  /// How many turns a loop of this shape, with the end kOwn, makes at each of these sizes; nothing
  /// if it faults, does not end within the time limit, or cannot be counted. Another plan must be
  /// loaded then.
  std::optional<std::vector<std::int64_t>> count_turns(const LoopShape& shape,
                                                       std::span<const Iterations> sizes);
  /// How many copies access no more lines than this cache holds, as far as their trace lets that be
  /// foreseen: at most `most`.
  Copies copies_within(const DataReach& reach, Copies most) const {
    return footprint_.copies_within(reach, most);
  }
  /// As Footprint::meeting().
  std::vector<TracedAccess> meeting(Copies copies) const { return footprint_.meeting(copies); }
  /// As Footprint::pointers_meet().
  bool pointers_meet(Copies copies) const { return footprint_.pointers_meet(copies); }
  /// The address at which the traced kernel has to lie.
  std::uint64_t trace_address() const;

  /// What preparing came to: how long the smallest and the largest size took, or a fault. The fault
  /// has the reason kInterference if the core was lost each time.
  struct Prepared {
    std::optional<subject::Fault> fault;
    Reading smallest;
    Reading largest;
  };
  /// Runs all sizes until they run without missing a page.
  Prepared prepare();
  /// Whether pages are mapped that the block was only foreseen to access: one that it does not
  /// access may be why a limit was reached.
  bool foresaw_pages() const { return footprint_.foresees(); }
  /// How many pages a block that was prepared may access anywhere in them: all of them if its trace
  /// does not let be foreseen where its copies go, else those that were not foreseen.
  int unforeseen_pages() const {
    return footprint_.foresees_all(plan_.most_copies()) ? pages() - expected_pages_ : pages();
  }
  /// Prepares the block without foreseen pages: only those of the traced copies are mapped before
  /// they are missed.
  Prepared prepare_unforeseen();
  /// Loads another plan of a block that was prepared, and maps the pages that it is foreseen to
  /// access; prepare() must follow. If `anew` is set, pages that were mapped before do not stay.
  void reload(const Plan& plan, bool anew);
  /// How many virtual pages are mapped for the block, or expected to be.
  int pages() const { return workbench_.subject().pages(); }

  /// What meeting the kernels came to: layout_limit(), or a fault.
  struct Met {
    std::optional<subject::Fault> fault;
    std::optional<Reading> layout_limit;
  };
  /// Runs each kernel before any reading of it counts (first_round()), unless runs are read around:
  /// those are warm.
  Met meet();
  /// Whether runs under this notion may access memory unseen.
  bool may_stray(Notion notion) const { return !is_seen_whole(block_, notion, state_); }
  /// Runs the largest size once where assay's own memory in the subject cannot be accessed. Returns
  /// the fault of a block whose copies try to, further on than the trace shows, or if it has
  /// another one. A state with code of its own is not looked at: its kernels need that memory.
  std::optional<subject::Fault> guard();
  /// Runs rounds at the alignments that they name, and repeats them until the readings hold nothing
  /// but the block and its companions: no missing page, nothing left in memory by an earlier run,
  /// no counter that was moved. If the readings were lost with the core, there are none.
  subject::SeriesResult run(const Round& round, std::uint32_t rounds,
                            std::optional<Reading> layout_limit = std::nullopt);
  /// Runs the rounds of a series' plan, as a sampler needs it, with entries for its pass. Data are
  /// brought in anew where a run that tells their layout takes longer than the limit, if there is
  /// one.
  SampledSeries run(const SeriesPlan& plan, std::optional<Reading> layout_limit = std::nullopt);

 private:
  bool writes_memory() const {
    return block_.writes_memory || !state_.code.empty() || plan_.loop.sentinel;
  }
  std::optional<Outcome> load_again();
  void load_at_other_alignments();
  void make_entries(std::size_t alignment);
  void begin_pass(std::size_t alignment, std::uint32_t pass);
  void drop_wrong(std::span<const std::uint64_t> guesses, std::span<const TracedAccess> accesses);
  void expect_pages();

  Workbench& workbench_;
  const Block& block_;
  const InitialState& given_state_;
  InitialState state_;  ///< the given one, perhaps with another word in memory
  subject::Limits limits_;
  Plan plan_;
  std::size_t alignments_ = 0;
  std::size_t group_ = 0;
  std::vector<Kernel> kernels_;
  std::vector<std::uint32_t> passes_;         ///< which pass the entries of each alignment are for
  std::vector<subject::MemoryRange> writes_;  ///< the memory that the trace saw written
  Footprint footprint_;
  int expected_pages_ = 0;  ///< pages that were mapped before any was missed
};

}  // namespace assay

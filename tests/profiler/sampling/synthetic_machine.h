#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "profiler/sampling/companions.h"
#include "profiler/sampling/estimate.h"
#include "profiler/sampling/round.h"
#include "profiler/sampling/series_plan.h"

namespace assay {

/// A made-up core and clock whose true values are known. It has what real ones have: a clock of
/// coarse or fine steps that is read at a random phase, or a counter of core cycles; a fixed
/// overhead of runs; warm-up runs that take twice as long as those that count; interrupts;
/// alignments at which a block is slower; states of a block that last for a while; neighbours that
/// come and go; and a frequency that drifts.
class SyntheticMachine {
 public:
  static constexpr double kRatio = 1.421;    ///< core cycles per tick at the nominal frequency
  static constexpr double kGigahertz = 3.7;  ///< the nominal frequency
  static constexpr Ticks kStep{26};
  static constexpr double kNopsPerCycle = 4;
  static constexpr SizesInCopies kSizes = {Copies(100), Copies(200), Copies(400)};

  /// What runs are read by.
  struct Clock {
    Ticks step = kStep;
    int stamps = 1;              ///< time stamps at either end of a run, whose sum is its reading
    Ticks distance{47};          ///< from one stamp to the next
    bool counts_cycles = false;  ///< whether it counts core cycles, each of them, and no ticks
  };

  /// For how long a block stays in one state until one is drawn anew; kAlignment: until its data
  /// are brought into the cache anew.
  enum class Lasts { kRun, kAlignment, kSeries, kProcess };
  /// A second steady state of a block, beside the usual one.
  struct State {
    double factor = 1;  ///< by which the block takes longer in it
    double share = 0;   ///< how often it is drawn
    Lasts lasts = Lasts::kSeries;
  };

  /// Somebody who uses the core for a while, and leaves it alone for a while. Both times are
  /// distributed exponentially.
  struct Visitor {
    double block = 1;                  ///< factor by which the block is slower meanwhile
    double canary = 1;                 ///< and the canary
    std::chrono::nanoseconds stay{0};  ///< mean time of a visit
    std::chrono::nanoseconds away{0};  ///< mean time between two visits; 0: none ever comes
  };

  /// What the block and the core are like. All of it may be changed from series to series.
  struct Conditions {
    double cycles_per_copy = 2;
    double slow_copies = 0;  ///< so many of the first copies take longer
    double slow_factor = 2;  ///< by so much
    double neighbour = 1;    ///< factor by which one who stays slows the canary and the block
    double frequency = 1;    ///< frequency of the core, divided by the nominal one
    double drift = 0;        ///< change of the frequency in a second, as a share of it
    double wander = 0;       ///< standard deviation of the frequency, as a share
    std::chrono::nanoseconds wander_time = std::chrono::milliseconds(3);  ///< until drawn anew
    /// Standard deviation, in core cycles, by which a run of so many copies is off a straight line,
    /// always by the same.
    double size_deviation = 0;
    /// The factors by which copies take longer behind so many NOPs (Plan::lead_at, from 1).
    std::array<double, 8> lead_factors = {1, 1, 1, 1, 1, 1, 1, 1};
    /// The factors by which copies take longer that begin so many times 8 bytes behind a multiple
    /// of 64 (Plan::place_at).
    std::array<double, 8> place_factors = {1, 1, 1, 1, 1, 1, 1, 1};
    double run_deviation = 0;        ///< standard deviation of a run, in core cycles
    double series_deviation = 0;     ///< standard deviation of the speed of series, as a share
    double alignment_deviation = 0;  ///< standard deviation of the speed at alignments, as a share
    double interrupted_runs = 0.01;  ///< share of all runs
    State state = {};
    Visitor visitor = {};
    Clock clock = {};
  };

  SyntheticMachine(const Conditions& conditions, unsigned seed,
                   const SizesInCopies& sizes = kSizes);

  Conditions& conditions() { return conditions_; }

  /// Companions that know the canary's peak.
  Companions companions(double tolerated_slowdown) const;

  /// Begins another block, with alignments of its own, in another process.
  void begin_block();
  /// Begins another process for the same block.
  void begin_process();
  /// The readings of a series of so many rounds. Where the layout of the data seems bad, they are
  /// brought in anew, as a subject does.
  std::vector<std::uint32_t> series(const Round& round, int rounds);
  /// Learns how long the block takes in a good layout, as LoadedBlock::meet() does.
  void meet(const Plan& plan);
  /// The time that has passed on the machine.
  std::chrono::steady_clock::time_point now() const;
  /// From now on, the block is run at these sizes.
  void run_at(std::vector<SizesInCopies> sizes) {
    common_size_ = sizes.front().back();
    layout_limit_.reset();
    begin_pass(std::move(sizes), 0);
  }
  /// The places at which copies begin, at each alignment.
  using Places = std::array<std::size_t, kAlignments>;
  /// The next series are of that pass over the alignments, which has these sizes and places.
  void begin_pass(std::vector<SizesInCopies> sizes, std::uint32_t pass, const Places& places = {}) {
    sizes_ = std::move(sizes);
    pass_ = pass;
    places_ = places;
  }
  /// The core cycles of a run that nobody disturbs, without its overhead.
  double nominal_cycles(const KernelRun& run) const;
  /// Lets time pass.
  void wait(std::chrono::nanoseconds time);

 private:
  double slowed_by_visitor(const KernelRun& run) const;
  double off_line(Copies copies) const;
  void draw_state(Lasts lasts);
  double gigahertz() const;
  ReadingStep reading_step() const;
  CyclesPerReading cycles_per_reading() const;
  Copies copies_of(const KernelRun& run) const;
  std::uint32_t time_of(const KernelRun& run);
  double take(double nanoseconds, double slowed);
  std::uint32_t read(double nanoseconds);
  double exponential(std::chrono::nanoseconds mean);

  Conditions conditions_;
  std::vector<SizesInCopies> sizes_;  ///< at each alignment, or at all, in this pass
  Copies common_size_;                ///< Plan::common_size(), in copies
  std::uint32_t pass_ = 0;
  Places places_{};
  std::optional<Cycles> layout_limit_;  ///< where the frequency is what it is
  std::mt19937_64 random_;
  std::uniform_real_distribution<double> uniform_{0, 1};
  std::normal_distribution<double> normal_{0, 1};
  std::array<double, kAlignments> alignment_factors_{};
  std::uint32_t block_ = 0;  ///< seed of what is the block's own
  double state_factor_ = 1;
  double series_factor_ = 1;
  double now_ = 0;        ///< in nanoseconds
  bool visited_ = false;  ///< whether the visitor is there
  double wandered_ = 0;   ///< how far the frequency is from its level, as a share
  double next_wander_ = 0;
  double next_change_ = 0;  ///< when the visitor comes or goes
};

}  // namespace assay

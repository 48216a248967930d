#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/codegen/initial_state.h"
#include "profiler/codegen/kernel.h"
#include "profiler/counters/tsc.h"
#include "profiler/machine/limits.h"
#include "profiler/protocol/estimate.h"
#include "profiler/protocol/measurement.h"
#include "profiler/protocol/plan.h"
#include "profiler/protocol/settings.h"
#include "profiler/subject/subject.h"

namespace assay {

/// The steps from bytes to a verdict, in order; a measurement may be stopped after any of them.
enum class Stage { kDecode, kPlan, kPrepare, kSample, kEstimate, kJudge };
std::optional<Stage> stage_named(std::string_view name);

/// Measures blocks, one after the other, in a subject that it keeps from block to block and
/// replaces when a block damaged it. Belongs to the thread that made it, which it pins to one
/// processor.
class Profiler {
 public:
  /// Throws InputError for a processor that may not be used, EnvironmentError when the machine
  /// gives no clock or does not let a process be traced.
  Profiler(const Settings& settings, int processor);

  /// Decode, plan, prepare (run it once, mapping the pages it touches), sample, estimate, judge.
  /// Whatever the block does becomes its verdict; if the measurement is stopped before the last
  /// stage, the verdict is kUnfinished. Throws EnvironmentError when the machine itself fails.
  Measurement measure(const Bytes& bytes, Stage last = Stage::kJudge);

  /// The ratio that the latest estimate used; 0 before the first.
  double core_cycles_per_tick() const { return core_cycles_per_tick_; }
  /// Series of samples so far, and those of them that were disturbed.
  std::int64_t series() const { return series_; }
  std::int64_t disturbed_series() const { return disturbed_series_; }
  /// Subjects started so far: one, and one more for each that was replaced.
  int subjects_started() const { return subjects_started_; }

 private:
  /// The kernels of one block, loaded and ready.
  struct Kernels {
    std::array<Kernel, kBlockSlots> by_slot;
    bool write_memory = false;
  };

  void start_subject();
  Measurement attempt(const Block& block, Stage last);
  std::optional<Refusal> load(const Block& block, const Plan& plan, Kernels& kernels);
  std::optional<subject::Fault> prepare(const Kernels& kernels, std::chrono::nanoseconds& pair);
  std::optional<subject::Fault> sample(const Kernels& kernels, std::chrono::nanoseconds pair,
                                       Estimator& estimator);
  /// One series; `clean`: whether it was undisturbed and taken in.
  std::optional<subject::Fault> sample_once(const Kernels& kernels, std::uint32_t rounds,
                                            Estimator& estimator, bool& clean);
  bool enough(const Estimator& estimator) const;
  void conclude(const Block& block, const Estimator& estimator, Measurement& measurement,
                Stage last);
  void learn_canary();
  std::uint32_t phase_mask() const;
  void add_companion(const Block& block, std::int64_t copies);
  subject::SeriesResult run(std::span<const std::uint64_t> entries, std::uint32_t rounds,
                            std::uint32_t refill_mask);

  Settings settings_;
  TscProperties clock_;
  InitialState state_;
  std::size_t cache_size_;
  std::unique_ptr<subject::Subject> subject_;
  std::optional<MachineLimits> limits_;
  Canary canary_{std::nullopt};
  /// The kernels that run beside every block, by Slot from kReferenceSmall on.
  std::vector<Kernel> companions_;
  std::uint64_t block_offset_ = 0;  ///< in the code area, behind them: where a block's kernels lie
  bool replace_subject_ = false;    ///< before the next block
  bool patient_ = true;  ///< false from giving up on a disturbed core until it is undisturbed again
  std::int64_t series_ = 0;
  std::int64_t disturbed_series_ = 0;
  double core_cycles_per_tick_ = 0;
  int subjects_started_ = 0;
};

/// What an estimate is judged by beside its own interval.
struct Circumstances {
  double slowdown = 0;  ///< of the canary
  double floor =
      0;  ///< cycles that the block takes at least; 0 if this core's limits are not known
};

/// kMeasured if the interval is narrow and holds positive values only; else rejected as kUnstable.
/// As kInterference if the canary was slower than the settings accept, as kBelowLimit if the whole
/// interval is below the floor, by a margin of 1 % for the clock's own uncertainty.
void judge(Measurement& measurement, const Circumstances& circumstances, const Settings& settings);

/// Whether sampling may end: the interval is as narrow as the settings ask for.
bool is_narrow(const Estimate& estimate, double relative, double cycles);

}  // namespace assay

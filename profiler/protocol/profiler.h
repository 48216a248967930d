#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "profiler/block/block.h"
#include "profiler/codegen/initial_state.h"
#include "profiler/codegen/kernel.h"
#include "profiler/counters/tsc.h"
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

  const TscProperties& clock() const { return clock_; }
  /// The ratio that the latest estimate used; 0 before the first.
  double core_cycles_per_tick() const { return core_cycles_per_tick_; }
  /// Subjects started so far: one, and one more for each that was replaced.
  int subjects_started() const { return subjects_started_; }

 private:
  /// The kernels of one block, loaded and ready, by Slot.
  struct Kernels {
    Kernel small;
    Kernel large;
  };

  void start_subject();
  Measurement attempt(const Block& block, Stage last);
  std::optional<Refusal> load(const Block& block, const Plan& plan, Kernels& kernels);
  std::optional<subject::Fault> prepare(const Kernels& kernels, std::chrono::nanoseconds& round);
  std::optional<subject::Fault> sample(const Kernels& kernels, std::chrono::nanoseconds round,
                                       Estimator& estimator);
  std::optional<subject::Fault> sample_once(const Kernels& kernels, std::uint32_t rounds,
                                            Estimator& estimator);
  subject::SeriesResult run(std::span<const std::uint64_t> entries, std::uint32_t rounds);

  Settings settings_;
  TscProperties clock_;
  InitialState state_;
  std::size_t cache_size_;
  std::unique_ptr<subject::Subject> subject_;
  Kernel reference_small_;
  Kernel reference_large_;
  double core_cycles_per_tick_ = 0;
  int subjects_started_ = 0;
};

/// kMeasured if the interval is narrow enough and the value positive, else rejected as kUnstable.
void judge(Measurement& measurement, const Settings& settings);

/// Whether sampling may end: the interval is as narrow as the settings ask for.
bool is_narrow(const Estimate& estimate, double relative, double cycles);

}  // namespace assay

#include "profiler/sampling/round.h"

#include <algorithm>

namespace assay {
namespace {

void add_reference(Round& round) {
  add_runs(round, {.code = Code::kReference, .size = kSmall}, 1, 1);
  add_runs(round, {.code = Code::kReference, .size = kLarge}, 1, 1);
}

/// How often the larger canary runs before it counts: behind code that fills the micro-op cache,
/// and behind code that leaves most of it alone.
constexpr int kColdWarmUps = 3;
constexpr int kWarmWarmUps = 2;

void add_large_canary(Round& round, int warm_ups, int times = 1) {
  add_runs(round, {.code = Code::kCanary, .size = kLarge}, warm_ups, times);
}

void add_small_canary(Round& round, int times) {
  add_runs(round, {.code = Code::kCanary, .size = kSmall}, 1, times);
}

/// Adds the runs at an alignment from that which brings the data in anew to that which tells their
/// layout. Returns how many there are.
int add_layout(Round& round, const Plan& plan, std::size_t alignment, bool tell_counts) {
  constexpr int kMost = 3;
  const int runs = std::clamp(plan.warm_ups, 1, kMost);
  const std::size_t start = round.size();
  add_runs(round, {.size = plan.common_size(), .alignment = alignment}, runs, 0);
  round[start].evict = true;
  round.back().tells_layout = true;
  round.back().counts = tell_counts;
  return runs;
}

}  // namespace

bool brings_data_anew(const Plan& plan) { return !plan.walks(); }

void add_runs(Round& round, const KernelRun& run, int warm_ups, int times) {
  for (int i = 0; i < warm_ups + times; ++i) {
    round.push_back(run);
    round.back().counts = i >= warm_ups;
  }
}

Round interleaved_round(const Plan& plan, int times, std::size_t alignments, std::size_t first) {
  constexpr int kWarmUpsOfSmaller = 1;
  constexpr int kTimesOfSmallCanary = 3;  // as often as the larger one
  const bool anew = alignments > 1 && brings_data_anew(plan);
  // A size that has not run yet needs a run of its own, however warm its code is.
  const int own_warm_ups = plan.stagger > Copies() ? 1 : 0;
  Round round;
  for (std::size_t alignment = first; alignment < first + alignments; ++alignment) {
    const auto add = [&](std::size_t size, int idle) {
      add_runs(round, {.size = size, .alignment = alignment}, idle, times);
    };
    const int told_by = anew ? add_layout(round, plan, alignment, false) : 0;
    add(kLargestSize, std::max(plan.warm_ups - told_by, own_warm_ups));
    add_large_canary(round, kColdWarmUps);
    add(kMiddleSize, kWarmUpsOfSmaller);
    add_large_canary(round, kWarmWarmUps);
    add(kSmallestSize, kWarmUpsOfSmaller);
    add_large_canary(round, kWarmWarmUps);
    add_small_canary(round, kTimesOfSmallCanary);
    if (alignment == first) add_reference(round);
  }
  return round;
}

Round first_round(const Plan& plan, std::size_t alignments) {
  Round round;
  for (std::size_t alignment = 0; alignment < alignments; ++alignment) {
    std::size_t sizes = plan.sizes.size();
    if (brings_data_anew(plan)) {
      add_layout(round, plan, alignment, true);
      sizes = std::min(sizes, plan.common_size());
    }
    while (sizes-- > 0) add_runs(round, {.size = sizes, .alignment = alignment}, 1, 0);
  }
  return round;
}

Round pair_round(int warm_ups) {
  Round round;
  add_runs(round, {.size = kLarge}, warm_ups, 1);
  add_runs(round, {.size = kSmall}, warm_ups, 1);
  add_reference(round);
  add_large_canary(round, kColdWarmUps, 2);
  add_small_canary(round, 2);
  return round;
}

}  // namespace assay

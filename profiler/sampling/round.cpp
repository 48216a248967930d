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

/// How many runs of the largest size there are up to the one that tells the layout.
int runs_to_tell(int warm_ups) {
  constexpr int kMost = 3;
  return std::min(warm_ups, kMost);
}

}  // namespace

void add_runs(Round& round, const KernelRun& run, int warm_ups, int times) {
  for (int i = 0; i < warm_ups + times; ++i) {
    round.push_back(run);
    round.back().counts = i >= warm_ups;
  }
}

Round interleaved_round(int times, std::size_t alignments, std::size_t first, int warm_ups) {
  constexpr int kWarmUpsOfSmaller = 1;
  constexpr int kTimesOfSmallCanary = 3;  // as often as the larger one
  Round round;
  for (std::size_t alignment = first; alignment < first + alignments; ++alignment) {
    const std::size_t start = round.size();
    const auto add = [&](std::size_t size, int idle, int count) {
      add_runs(round, {.size = size, .alignment = alignment}, idle, count);
    };
    add(kLargestSize, warm_ups, times);
    add_large_canary(round, kColdWarmUps);
    add(kMiddleSize, kWarmUpsOfSmaller, times);
    add_large_canary(round, kWarmWarmUps);
    add(kSmallestSize, kWarmUpsOfSmaller, times);
    add_large_canary(round, kWarmWarmUps);
    add_small_canary(round, kTimesOfSmallCanary);
    round[start].evict = alignments > 1;
    round[start + static_cast<std::size_t>(runs_to_tell(warm_ups)) - 1].tells_layout =
        alignments > 1;
    if (alignment == first) add_reference(round);
  }
  return round;
}

Round first_round(std::size_t sizes, std::size_t alignments, int warm_ups) {
  Round round;
  for (std::size_t alignment = 0; alignment < alignments; ++alignment) {
    const std::size_t start = round.size();
    add_runs(round, {.size = sizes - 1, .alignment = alignment}, runs_to_tell(warm_ups) - 1, 1);
    round[start].evict = true;
    for (std::size_t size = sizes - 1; size-- > 0;) {
      add_runs(round, {.size = size, .alignment = alignment}, 1, 0);
    }
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

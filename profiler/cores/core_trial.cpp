#include "profiler/cores/core_trial.h"

#include <fmt/format.h>
#include <sched.h>
#include <x86intrin.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <latch>
#include <random>
#include <system_error>
#include <thread>

#include "profiler/support/error.h"

namespace assay {
namespace {

using SteadyClock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::size_t kFours = 40;
constexpr SteadyClock::duration kSlice = 100us;
constexpr SteadyClock::duration kGuard =
    kSlice / 10;  // threads do not see a slice begin all at once
// How long the chain takes, and the additions on an idle core: if those take four times as long,
// they still end within the slice.
constexpr SteadyClock::duration kTiming = kSlice * 3 / 20;
// A load that is away for longer than this from one look at the clock to the next was interrupted.
constexpr SteadyClock::duration kAbsence = kSlice / 5;
constexpr SteadyClock::duration kStart = 2ms;  // gives cores time to reach their frequency

/// Iterates a loop of 96 additions that do not wait for each other: two bytes each, and as many
/// chains as the widest core has units.
void add_apart(std::int64_t iterations) {
  asm volatile(
      "1:\n\t"
      ".rept 16\n\t"
      "addl %%eax, %%eax\n\t"
      "addl %%ecx, %%ecx\n\t"
      "addl %%edx, %%edx\n\t"
      "addl %%ebx, %%ebx\n\t"
      "addl %%esi, %%esi\n\t"
      "addl %%edi, %%edi\n\t"
      ".endr\n\t"
      "decq %0\n\t"
      "jnz 1b"
      : "+r"(iterations)
      :
      : "eax", "ecx", "edx", "ebx", "esi", "edi", "cc");
}

/// Iterates a loop of 96 additions that wait for each other, one per cycle on every core.
void add_in_a_row(std::int64_t iterations) {
  asm volatile(
      "1:\n\t"
      ".rept 96\n\t"
      "addl %%eax, %%eax\n\t"
      ".endr\n\t"
      "decq %0\n\t"
      "jnz 1b"
      : "+r"(iterations)
      :
      : "eax", "cc");
}

void wait_a_little() {
  constexpr int kPauses = 16;
  for (int i = 0; i < kPauses; ++i) _mm_pause();
}

/// In which slices of time the loads are to run. All but the start is filled in before the threads
/// begin.
struct Schedule {
  SteadyClock::time_point start;
  std::vector<bool> loaded;

  SteadyClock::time_point start_of(std::size_t slice) const {
    return start + static_cast<std::int64_t>(slice) * kSlice;
  }
  SteadyClock::time_point end() const { return start_of(loaded.size()); }
  /// The slice that a time from the start on lies in; the last one for times after the end.
  std::size_t slice_at(SteadyClock::time_point time) const {
    return std::min(static_cast<std::size_t>((time - start) / kSlice), loaded.size() - 1);
  }
};

/// Whether the loads run in each slice. The order within each four slices is drawn, so that nothing
/// else that comes and goes on the machine keeps in step with it.
std::vector<bool> drawn_order() {
  // The seed is fixed: only the pattern has to be irregular.
  std::mt19937 random(20);
  std::vector<bool> loaded;
  for (std::size_t i = 0; i < kFours; ++i) {
    const bool first = random() % 2 == 0;
    loaded.insert(loaded.end(), {first, !first, !first, first});
  }
  return loaded;
}

/// Runs a load. Returns in which slices it was away from its processor.
std::vector<bool> run_load(const Schedule& schedule) {
  constexpr std::int64_t kIterations = 64;  // they take a microsecond or two
  std::vector<bool> away(schedule.loaded.size(), false);
  SteadyClock::time_point before = schedule.start;
  while (before < schedule.end()) {
    const std::size_t slice = schedule.slice_at(before);
    schedule.loaded[slice] ? add_apart(kIterations) : wait_a_little();
    const SteadyClock::time_point now = std::max(SteadyClock::now(), before);
    if (now - before > kAbsence) {
      for (std::size_t i = slice; i <= schedule.slice_at(now); ++i) away[i] = true;
    }
    before = now;
  }
  return away;
}

/// The number of iterations that take kTiming, judged by the shortest of a few tries.
template <typename Work>
std::int64_t iterations_in_time(Work work) {
  constexpr std::int64_t kIterations = 32;
  SteadyClock::duration least = 1s;
  for (int i = 0; i < 8; ++i) {
    const SteadyClock::time_point start = SteadyClock::now();
    work(kIterations);
    least = std::min(least, SteadyClock::now() - start);
  }
  return std::max<std::int64_t>(kIterations * kTiming / std::max<SteadyClock::duration>(least, 1ns),
                                1);
}

/// How many iterations of its two loops a canary runs in each slice.
struct CanaryIterations {
  std::int64_t chain;
  std::int64_t additions;
};

std::vector<TimeSlice> run_canary(const Schedule& schedule, CanaryIterations iterations) {
  std::vector<TimeSlice> slices;
  for (std::size_t i = 0; i < schedule.loaded.size(); ++i) {
    const SteadyClock::time_point due = schedule.start_of(i) + kGuard;
    while (SteadyClock::now() < due) wait_a_little();
    TimeSlice& slice = slices.emplace_back(TimeSlice{0, schedule.loaded[i]});
    const SteadyClock::time_point start = SteadyClock::now();
    // A slice that begins late, or ends after its time, keeps the ratio 0 and does not count.
    if (start > due + kGuard) continue;
    add_in_a_row(iterations.chain);
    const SteadyClock::time_point middle = SteadyClock::now();
    add_apart(iterations.additions);
    const SteadyClock::time_point end = SteadyClock::now();
    if (end > schedule.start_of(i + 1)) continue;
    slice.ratio = static_cast<double>((end - middle).count()) /
                  static_cast<double>(std::max<std::int64_t>((middle - start).count(), 1));
  }
  return slices;
}

/// Moves the calling thread to the processor. pin_to_processor() would only allow the processors
/// that the caller is bound to.
bool move_to(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  return sched_setaffinity(0, sizeof(set), &set) == 0;
}

/// One run of a schedule, with a thread on each processor.
class Pass {
 public:
  Pass(std::span<const int> canaries, std::span<const int> loads)
      : canaries_(canaries),
        loads_(loads),
        slices_(canaries.size()),
        away_(loads.size()),
        ready_(std::ssize(canaries) + std::ssize(loads)) {}

  /// Runs it. Returns the slices of each canary.
  std::vector<std::vector<TimeSlice>> run() {
    run_threads();
    if (error_ != 0) {
      throw EnvironmentError(
          describe_errno(fmt::format("cannot run on processor {}", refused_.load()), error_));
    }
    for (std::vector<TimeSlice>& slices : slices_) leave_out_absences(slices);
    return std::move(slices_);
  }

 private:
  enum class Order { kWait, kBegin, kGiveUp };

  void run_threads() {
    std::vector<std::jthread> threads;
    try {
      for (std::size_t i = 0; i < canaries_.size(); ++i) {
        threads.emplace_back([this, i] { be_canary(i); });
      }
      for (std::size_t i = 0; i < loads_.size(); ++i) {
        threads.emplace_back([this, i] { be_load(i); });
      }
    } catch (const std::system_error& error) {
      order_.store(Order::kGiveUp, std::memory_order_release);
      throw no_thread(error);
    }
    ready_.wait();
    schedule_.start = SteadyClock::now() + kStart;
    order_.store(Order::kBegin, std::memory_order_release);
  }

  void be_canary(std::size_t number) {
    if (!take_processor(canaries_[number])) return;
    const CanaryIterations iterations = {iterations_in_time(add_in_a_row),
                                         iterations_in_time(add_apart)};
    slices_[number] = run_canary(schedule_, iterations);
  }

  void be_load(std::size_t number) {
    if (!take_processor(loads_[number])) return;
    while (SteadyClock::now() < schedule_.start) wait_a_little();
    away_[number] = run_load(schedule_);
  }

  /// Moves the thread to its processor, and waits until the schedule is made. Returns whether the
  /// thread got its processor and is to begin.
  bool take_processor(int processor) {
    const bool moved = move_to(processor);
    if (!moved) {
      refused_.store(processor);
      error_.store(errno);
    }
    ready_.count_down();
    Order order = Order::kWait;
    while (moved && order == Order::kWait) {
      wait_a_little();
      order = order_.load(std::memory_order_acquire);
    }
    return order == Order::kBegin;
  }

  /// A slice counts for no canary if a load was away from its processor in it.
  void leave_out_absences(std::vector<TimeSlice>& slices) const {
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const auto is_away = [i](const std::vector<bool>& away) { return away[i]; };
      if (std::ranges::any_of(away_, is_away)) slices[i].ratio = 0;
    }
  }

  std::span<const int> canaries_;
  std::span<const int> loads_;
  Schedule schedule_{{}, drawn_order()};
  std::vector<std::vector<TimeSlice>> slices_;  ///< for each canary
  std::vector<std::vector<bool>> away_;         ///< for each load, the slices in which it was away
  std::latch ready_;
  std::atomic<Order> order_ = Order::kWait;
  std::atomic<int> error_ = 0;
  std::atomic<int> refused_ = -1;
};

}  // namespace

std::vector<Slowdown> run_core_trial(std::span<const int> canaries, std::span<const int> loads) {
  constexpr int kMostPasses = 5;
  std::vector<std::vector<TimeSlice>> slices(canaries.size());
  std::vector<Slowdown> slowdowns(canaries.size());
  const auto is_unsure = [](const Slowdown& slowdown) {
    return slowdown.sharing == Sharing::kUnsure;
  };
  for (int pass = 0; pass < kMostPasses && std::ranges::any_of(slowdowns, is_unsure); ++pass) {
    const auto further = Pass(canaries, loads).run();
    for (std::size_t i = 0; i < canaries.size(); ++i) {
      slices[i].insert(slices[i].end(), further[i].begin(), further[i].end());
      slowdowns[i] = judge_slowdown(slices[i]);
    }
  }
  return slowdowns;
}

}  // namespace assay

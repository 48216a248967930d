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

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::size_t kFours = 40;
constexpr std::size_t kSlices = 4 * kFours;
constexpr Clock::duration kSlice = 100us;
constexpr Clock::duration kGuard = kSlice / 10;  // no two threads see a slice begin at once
// Of the chain, and of the additions when idle: four times as long still ends within the slice.
constexpr Clock::duration kTiming = kSlice * 3 / 20;
constexpr Clock::duration kAbsence = kSlice / 5;  // more than this from one look to the next
constexpr Clock::duration kStart = 2ms;           // for cores to come to their frequency

/// 96 additions a turn that do not wait for each other, as in canary_block(): two bytes each, as
/// many chains as the widest core has units.
void add_apart(std::int64_t turns) {
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
      : "+r"(turns)
      :
      : "eax", "ecx", "edx", "ebx", "esi", "edi", "cc");
}

/// 96 additions a turn that wait for each other, one a cycle on every core.
void add_in_a_row(std::int64_t turns) {
  asm volatile(
      "1:\n\t"
      ".rept 96\n\t"
      "addl %%eax, %%eax\n\t"
      ".endr\n\t"
      "decq %0\n\t"
      "jnz 1b"
      : "+r"(turns)
      :
      : "eax", "cc");
}

void wait_a_little() {
  constexpr int kPauses = 16;
  for (int i = 0; i < kPauses; ++i) _mm_pause();
}

/// When who does what. Filled in but for its start before the threads begin.
struct Schedule {
  Clock::time_point start;
  std::vector<bool> loaded;

  Clock::time_point start_of(std::size_t slice) const {
    return start + static_cast<std::int64_t>(slice) * kSlice;
  }
  Clock::time_point end() const { return start_of(loaded.size()); }
  /// Of a time from the start on; the last one for what lies behind the end.
  std::size_t slice_at(Clock::time_point time) const {
    return std::min(static_cast<std::size_t>((time - start) / kSlice), loaded.size() - 1);
  }
};

/// In each four, the order is drawn: nothing else that comes and goes on the machine keeps in step.
std::vector<bool> drawn_order() {
  std::mt19937 random(20);
  std::vector<bool> loaded;
  for (std::size_t i = 0; i < kFours; ++i) {
    const bool first = random() % 2 == 0;
    loaded.insert(loaded.end(), {first, !first, !first, first});
  }
  return loaded;
}

/// Which slices the load was away in.
std::vector<bool> run_load(const Schedule& schedule) {
  constexpr std::int64_t kTurns = 64;  // a microsecond or two
  std::vector<bool> away(schedule.loaded.size(), false);
  Clock::time_point before = schedule.start;
  while (before < schedule.end()) {
    const std::size_t slice = schedule.slice_at(before);
    schedule.loaded[slice] ? add_apart(kTurns) : wait_a_little();
    const Clock::time_point now = std::max(Clock::now(), before);
    if (now - before > kAbsence) {
      for (std::size_t i = slice; i <= schedule.slice_at(now); ++i) away[i] = true;
    }
    before = now;
  }
  return away;
}

/// How many turns take kTiming, by the shortest of a few tries.
template <typename Work>
std::int64_t turns_in_time(Work work) {
  constexpr std::int64_t kTurns = 32;
  Clock::duration least = 1s;
  for (int i = 0; i < 8; ++i) {
    const Clock::time_point start = Clock::now();
    work(kTurns);
    least = std::min(least, Clock::now() - start);
  }
  return std::max<std::int64_t>(kTurns * kTiming / std::max<Clock::duration>(least, 1ns), 1);
}

struct CanaryTurns {
  std::int64_t chain;
  std::int64_t additions;
};

std::vector<TimeSlice> run_canary(const Schedule& schedule, CanaryTurns turns) {
  std::vector<TimeSlice> slices;
  for (std::size_t i = 0; i < schedule.loaded.size(); ++i) {
    const Clock::time_point due = schedule.start_of(i) + kGuard;
    while (Clock::now() < due) wait_a_little();
    TimeSlice& slice = slices.emplace_back(0, schedule.loaded[i]);
    const Clock::time_point start = Clock::now();
    if (start > due + kGuard) continue;
    add_in_a_row(turns.chain);
    const Clock::time_point middle = Clock::now();
    add_apart(turns.additions);
    const Clock::time_point end = Clock::now();
    if (end > schedule.start_of(i + 1)) continue;
    slice.ratio = static_cast<double>((end - middle).count()) /
                  static_cast<double>(std::max<std::int64_t>((middle - start).count(), 1));
  }
  return slices;
}

/// The calling thread; pin_to_processor() would only allow those that the caller is bound to.
bool move_to(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  return sched_setaffinity(0, sizeof(set), &set) == 0;
}

/// Threads on their processors for one schedule.
class Pass {
 public:
  Pass(std::span<const int> canaries, std::span<const int> loads)
      : canaries_(canaries),
        loads_(loads),
        slices_(canaries.size()),
        away_(loads.size()),
        ready_(std::ssize(canaries) + std::ssize(loads)) {}

  /// The slices of each canary.
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
      throw EnvironmentError(describe_errno("cannot start a thread", error.code().value()));
    }
    ready_.wait();
    schedule_.start = Clock::now() + kStart;
    order_.store(Order::kBegin, std::memory_order_release);
  }

  void be_canary(std::size_t number) {
    if (!take_place(canaries_[number])) return;
    const CanaryTurns turns = {turns_in_time(add_in_a_row), turns_in_time(add_apart)};
    slices_[number] = run_canary(schedule_, turns);
  }

  void be_load(std::size_t number) {
    if (!take_place(loads_[number])) return;
    while (Clock::now() < schedule_.start) wait_a_little();
    away_[number] = run_load(schedule_);
  }

  /// Waits there until the schedule is made. Whether there is one, and a place.
  bool take_place(int processor) {
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

  void leave_out_absences(std::vector<TimeSlice>& slices) const {
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const auto is_away = [i](const std::vector<bool>& away) { return away[i]; };
      if (std::ranges::any_of(away_, is_away)) slices[i].ratio = 0;
    }
  }

  std::span<const int> canaries_;
  std::span<const int> loads_;
  Schedule schedule_{{}, drawn_order()};
  std::vector<std::vector<TimeSlice>> slices_;  ///< of each canary
  std::vector<std::vector<bool>> away_;         ///< of each load
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

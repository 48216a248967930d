#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/campaign/worker_post.h"

namespace assay {

/// Workers that measure blocks beside each other, one process on each of some processors, for one
/// thread that gives them tasks and takes what comes of them. Whatever befalls a worker ends
/// neither that thread nor the others (see WorkerPost).
class Crew {
 public:
  /// The fewest tasks that keep a worker busy while this thread is at something else: it answers up
  /// to 32 together, and a commit of the store takes some milliseconds.
  static constexpr std::size_t kWindow = 96;

  /// Starts the workers: one on each processor, of which there is at least one. `stall_limit`: for
  /// how long one may give no sign of life while it has work. Throws EnvironmentError.
  Crew(std::vector<int> processors, const PrepareWork& prepare,
       std::chrono::nanoseconds stall_limit);
  /// Ends the workers at once.
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// The worker with the fewest tasks gets this one, in the next turn(). Only if there is room: a
  /// worker has at most kWindow.
  void give(Task task);
  bool has_room() const;
  /// Whether nothing is left to be answered.
  bool idle() const;
  /// Whether every worker has been ready.
  bool ready() const;

  /// Sends what was given, waits until something has come, at most for `longest`, and calls back
  /// with each outcome. To be called a few times a second at least. Only the time between calls
  /// counts as a worker's silence, and no more than a fifth of a second for each: while this
  /// process is stopped, or the machine asleep, nobody stalls. Throws what a worker threw, and
  /// EnvironmentError when workers die again and again without any outcome between.
  void turn(std::chrono::milliseconds longest, const TakeAnswer& take);

  /// Ends all workers, in the middle of a block if they are at one, and takes the outcomes that
  /// they had sent; tasks that are not answered are forgotten, and so is what a worker threw. None
  /// is left then.
  void end(const TakeAnswer& take);
  /// Ends all workers but the first, when none has anything to do.
  void keep_first();

  std::size_t workers() const { return posts_.size(); }
  /// Workers that ended or stalled, and got another in their place.
  std::int64_t replaced() const;
  /// How long blocks have waited for a quiet core: those at hand, if all workers wait (the
  /// shortest), and all so far, by worker on average.
  std::chrono::nanoseconds waiting() const;
  std::chrono::nanoseconds waited() const;

 private:
  WorkerPost& least_loaded() const;
  std::chrono::nanoseconds waited_together() const;

  std::vector<std::unique_ptr<WorkerPost>> posts_;
  std::size_t most_workers_;
  std::int64_t replaced_before_ = 0;  ///< at posts that were given up
  std::chrono::nanoseconds waited_by_ended_{};
  std::chrono::steady_clock::time_point last_turn_;
};

}  // namespace assay
